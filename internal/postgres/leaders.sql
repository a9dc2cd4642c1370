-- name: lead
-- Takes a role that is free or whose leader's time is over, or extends the node's own. A
-- term that ran out is over, also for its own leader: the next one has a greater token.
INSERT INTO leaders AS now_leads (role, node, token, until) VALUES (@role, @node, 1, @until)
ON CONFLICT (role) DO UPDATE SET node = excluded.node, until = excluded.until,
    token = now_leads.token + CASE WHEN now_leads.node = excluded.node AND now_leads.until > @now THEN 0 ELSE 1 END
WHERE now_leads.node = excluded.node OR now_leads.until <= @now
RETURNING token;

-- name: resign
UPDATE leaders SET until = 0 WHERE role = @role AND node = @node;
