-- name: copy_add
INSERT INTO working_copies (id, job, node, created, expires) VALUES (@id, @job, @node, @now, @expires);

-- name: copy_prolong
UPDATE working_copies SET expires = @expires WHERE id = @id AND job = @job;

-- name: copy_remove
DELETE FROM working_copies WHERE id = @id;

-- name: copies
SELECT id, job, node, created, expires FROM working_copies WHERE node = @node ORDER BY created, id;
