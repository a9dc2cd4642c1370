-- name: listen
LISTEN blotter_work; LISTEN blotter_job;
