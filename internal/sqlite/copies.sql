-- name: copy_add
INSERT INTO working_copies (id, job, created, expires) VALUES (:id, :job, :now, :expires);

-- name: copy_remove
DELETE FROM working_copies WHERE id = :id;

-- name: copies
SELECT id, job, created, expires FROM working_copies ORDER BY created, id;
