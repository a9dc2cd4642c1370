-- name: access_lock
-- Who adds the first key looks and adds without another adding between. Adding takes a lock
-- that this one waits for; reading goes on.
LOCK TABLE access_keys IN SHARE ROW EXCLUSIVE MODE;

-- name: access_any
SELECT EXISTS (SELECT 1 FROM access_keys);

-- name: access_add
INSERT INTO access_keys (id, tenant, role, lanes, hash, created) VALUES (@id, @tenant, @role, @lanes, @hash, @now);

-- name: access_by_id
SELECT id, tenant, role, lanes, hash, created, revoked FROM access_keys WHERE id = @id;

-- name: access_all
SELECT id, tenant, role, lanes, hash, created, revoked FROM access_keys ORDER BY seq;

-- name: access_revoke
UPDATE access_keys SET revoked = @now WHERE id = @id AND revoked = 0;
