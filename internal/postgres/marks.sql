-- name: mark
SELECT coalesce((SELECT value FROM marks WHERE name = @name), '');

-- name: mark_set
INSERT INTO marks (name, value) VALUES (@name, @value) ON CONFLICT (name) DO NOTHING;
