-- How long a key lives once its job has ended, or was delivered; null while neither is so.
-- Kept beside the expiry, because a delivery dates the key anew.
ALTER TABLE keys ADD COLUMN keep INTEGER;
