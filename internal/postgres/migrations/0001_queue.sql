-- Times are whole milliseconds since 1970 by the server's own clock; 0 is "never". Spans are
-- milliseconds. Digests are 32 bytes. No column holds text of a document, a file name or a
-- path. Names are compared byte by byte, whatever the database's collation.

-- The one clock; the argument is a test's offset, else 0.
CREATE FUNCTION now_ms(ahead bigint) RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + ahead $$;

-- The fencing token grows over the whole store, so that it can be compared between jobs. No
-- session keeps numbers back: a later claim of a job has a greater token.
CREATE SEQUENCE fence CACHE 1;

-- A pinned policy stands here once, however many jobs run under it.
CREATE TABLE policies (
    digest bytea PRIMARY KEY CHECK (length(digest) = 32),
    body   bytea NOT NULL
);

-- The table has no foreign key to policies, which are never deleted: a check would lock the
-- one row of the policy with every job.
CREATE TABLE jobs (
    seq            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- order of arrival
    id             text COLLATE "C" NOT NULL UNIQUE,
    tenant         text COLLATE "C" NOT NULL,
    lane           text COLLATE "C" NOT NULL CHECK (lane IN ('interactive', 'bulk')),
    state          text COLLATE "C" NOT NULL,
    target         text COLLATE "C" NOT NULL DEFAULT '',
    reason         text COLLATE "C" NOT NULL DEFAULT '',
    idempotency    text COLLATE "C" NOT NULL DEFAULT '',
    fingerprint    text COLLATE "C" NOT NULL DEFAULT '', -- what a key was accepted for; empty for jobs without a reservation
    attempt        int    NOT NULL DEFAULT 0,
    token          bigint NOT NULL DEFAULT 0,
    created        bigint NOT NULL,
    not_before     bigint NOT NULL,
    lease_until    bigint NOT NULL DEFAULT 0,
    claimed        bigint NOT NULL DEFAULT 0, -- when the present lease was given
    charged_ms     bigint NOT NULL DEFAULT 0, -- charged so far for this lease
    parked_since   bigint NOT NULL DEFAULT 0, -- 0: not parked now
    parked_ms      bigint NOT NULL DEFAULT 0, -- parked before that, under this lease
    finished       bigint NOT NULL DEFAULT 0, -- when its end was written
    seal_ms        bigint NOT NULL DEFAULT 0, -- from there to its signed checkpoint
    input          bytea  NOT NULL CHECK (length(input) = 32),
    bytes          bigint NOT NULL DEFAULT 0,
    policy_name    text   NOT NULL,
    policy_version text   NOT NULL,
    policy_digest  bytea  NOT NULL,
    sealed         bytea,
    result         bytea,
    final_seq      bigint NOT NULL DEFAULT -1,
    trace          text   NOT NULL DEFAULT '',
    delivered      boolean NOT NULL DEFAULT false,
    final          text COLLATE "C" NOT NULL GENERATED ALWAYS AS -- the state, once the job is through
                   (CASE WHEN state IN ('queued', 'leased', 'sealing') THEN '' ELSE state END) STORED,
    CHECK ((state = 'leased') = (lease_until > 0)),
    CHECK ((state = 'sealing') = (target <> ''))
) WITH (
    -- No index holds what a claim, a heartbeat or an end changes: who waits and what is lent
    -- stands in tables of its own. So their new versions of a row touch no index, if there is
    -- room for them on its page (a HOT update).
    fillfactor = 60,
    -- The share of dead rows that the server would wait for by default grows with the jobs
    -- remembered.
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000,
    autovacuum_analyze_scale_factor = 0.05
);

-- Who waits: one row for each job in the state queued. Claims read the head of a tenant's
-- own line, so that their cost does not grow with the backlog, and take the row away. Rows
-- are never changed. They are locked before the row of their job.
CREATE TABLE waiting (
    lane       text COLLATE "C" NOT NULL,
    tenant     text COLLATE "C" NOT NULL,
    not_before bigint NOT NULL,
    seq        bigint NOT NULL,
    PRIMARY KEY (lane, tenant, not_before, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- What is lent: one row for each job in the state leased, as few as workers. Written under
-- the lock of the job's row.
CREATE TABLE lent (
    seq bigint PRIMARY KEY
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- A key that a request was accepted under stays as long as its job; one that came without
-- a reservation is free again once its job was delivered.
CREATE UNIQUE INDEX jobs_idempotency ON jobs (tenant, idempotency) WHERE idempotency <> '' AND NOT delivered AND fingerprint = '';
CREATE UNIQUE INDEX jobs_accepted ON jobs (tenant, idempotency) WHERE idempotency <> '' AND fingerprint <> '';

-- What is asked for is listed without reading the rest.
CREATE INDEX jobs_of_tenant ON jobs (tenant, seq);
CREATE INDEX jobs_in_state ON jobs (final, seq) WHERE final <> '';
CREATE INDEX jobs_of_tenant_in_state ON jobs (tenant, final, seq) WHERE final <> '';

CREATE VIEW job_rows AS
SELECT seq, id, tenant, lane, state, target, reason, idempotency, attempt, token, created, not_before, lease_until,
       claimed, parked_since > 0 AS parked, input, bytes, policy_name, policy_version, policy_digest, body AS policy_body,
       sealed, result, final_seq, trace, seal_ms, delivered
FROM jobs JOIN policies ON policies.digest = jobs.policy_digest;

-- A result as lists show it, without its images. One that is no JSON shows as it is.
CREATE FUNCTION without_assets(result bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
    RETURN (SELECT convert_to('{' || coalesce(string_agg(to_json(key)::text || ':' || value::text, ',' ORDER BY ord), '') || '}', 'UTF8')
            FROM json_each(convert_from(result, 'UTF8')::json) WITH ORDINALITY AS members (key, value, ord)
            WHERE key <> 'assets');
EXCEPTION WHEN others THEN
    RETURN result;
END $$;

-- A job as lists show it: without what is large and of no use there.
CREATE VIEW listed_jobs AS
SELECT seq, id, tenant, lane, state, target, reason, idempotency, attempt, token, created, not_before, lease_until,
       claimed, parked_since > 0 AS parked, input, bytes, policy_name, policy_version, policy_digest, NULL::bytea AS policy_body,
       NULL::bytea AS sealed, without_assets(result) AS result, final_seq, trace, seal_ms, delivered
FROM jobs;

-- What a leased job has taken by an instant, to the end of its lease at most.
CREATE FUNCTION used_ms(at bigint, lease_until bigint, claimed bigint, parked_since bigint, parked_ms bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
SELECT greatest(0, least(at, lease_until) - claimed - parked_ms
                   - CASE WHEN parked_since > 0 THEN greatest(0, least(at, lease_until) - parked_since) ELSE 0 END)
$$;

-- How much of a lane each tenant has had (package queue). Who is active may have a ready
-- job; who is not has none until it wakes, which is when the first of its queued jobs will
-- be ready (0: none is queued). Whoever queues a job holds the row FOR KEY SHARE, which
-- charges do not wait for; whoever ends its activity locks it FOR UPDATE and looks again
-- for jobs only then.
CREATE TABLE shares (
    lane    text COLLATE "C" NOT NULL CHECK (lane IN ('interactive', 'bulk')),
    tenant  text COLLATE "C" NOT NULL,
    virtual bigint  NOT NULL, -- microseconds of processing, divided by the tenant's weight
    started bigint  NOT NULL, -- its virtual time when a job of it was last lent in its turn
    mean_ms bigint  NOT NULL, -- moving average of what a job takes
    active  boolean NOT NULL,
    since   bigint  NOT NULL, -- when it last became active
    wakes   bigint  NOT NULL CHECK (wakes = 0 OR NOT active),
    PRIMARY KEY (lane, tenant)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX shares_order ON shares (lane, virtual, since, tenant) WHERE active;
CREATE INDEX shares_started ON shares (lane, started);
CREATE INDEX shares_waking ON shares (lane, wakes) WHERE wakes > 0;

-- Where a tenant of a lane starts that had nothing ready: at the greatest virtual time at
-- which a job of the lane was lent in its turn, but behind nobody who waits.
CREATE FUNCTION share_level(of text, at bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
SELECT least(coalesce((SELECT started FROM shares WHERE lane = of ORDER BY started DESC LIMIT 1), 0),
             (SELECT virtual FROM shares
              WHERE lane = of AND active
                AND EXISTS (SELECT 1 FROM waiting WHERE lane = of AND tenant = shares.tenant AND not_before <= at)
              ORDER BY virtual LIMIT 1))
$$;

-- The mean after jobs that took so many milliseconds, one after the other: queue.NextMean.
CREATE FUNCTION next_mean(mean bigint, used bigint[]) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE u bigint;
BEGIN
    FOREACH u IN ARRAY used LOOP
        mean := mean + (u - mean) / 8;
    END LOOP;
    RETURN mean;
END $$;

-- Events wait here, in order, until the sequencer has signed them. Events of one job are
-- numbered in the order of their transactions, because those hold the job's row.
CREATE TABLE outbox (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event   bytea  NOT NULL,
    job     text COLLATE "C" NOT NULL DEFAULT '', -- the job that moves when the event is sealed
    state   text COLLATE "C" NOT NULL DEFAULT '', -- and the state it moves to
    created bigint NOT NULL                       -- since when it waits
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- Requests whose body is being received. One that ended without becoming a job (until
-- lies in the past, no key any more) stays until its data keys were destroyed: it is what
-- tells them from keys whose job is still on its way.
CREATE TABLE reservations (
    job         text COLLATE "C" PRIMARY KEY,
    tenant      text COLLATE "C" NOT NULL,
    idempotency text COLLATE "C" NOT NULL,
    token       bigint  NOT NULL,
    until       bigint  NOT NULL,
    staged      boolean NOT NULL -- an upload was announced to the trail
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE UNIQUE INDEX reservations_idempotency ON reservations (tenant, idempotency) WHERE idempotency <> '';
CREATE INDEX reservations_until ON reservations (until, tenant);

-- Private copies that may stand on a node's disk.
CREATE TABLE working_copies (
    id      text COLLATE "C" PRIMARY KEY,
    job     text COLLATE "C" NOT NULL,
    node    text COLLATE "C" NOT NULL,
    created bigint NOT NULL,
    expires bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE INDEX working_copies_of_node ON working_copies (node, created, id);
