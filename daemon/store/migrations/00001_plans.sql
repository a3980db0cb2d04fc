-- Plans, their immutable revisions, what checks found, agents, and what sessions are bound to. The statements are read by
-- SQLite and by PostgreSQL. Times are milliseconds since 1970, truths are 0 and 1.

-- +goose Up
CREATE TABLE plans (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    revision BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (workspace, id)
);
CREATE INDEX plans_in_order ON plans (workspace, created_ms, id);

CREATE TABLE plan_revisions (
    workspace TEXT NOT NULL,
    plan TEXT NOT NULL,
    revision BIGINT NOT NULL,
    name TEXT NOT NULL,
    template TEXT NOT NULL,
    protocol TEXT NOT NULL,
    base_url TEXT NOT NULL,
    models TEXT NOT NULL,
    default_model TEXT NOT NULL,
    enabled BIGINT NOT NULL,
    key_sealed TEXT NOT NULL,
    recorded_ms BIGINT NOT NULL,
    PRIMARY KEY (workspace, plan, revision),
    FOREIGN KEY (workspace, plan) REFERENCES plans (workspace, id) ON DELETE CASCADE
);

CREATE TABLE plan_detections (
    workspace TEXT NOT NULL,
    plan TEXT NOT NULL,
    found TEXT NOT NULL,
    PRIMARY KEY (workspace, plan),
    FOREIGN KEY (workspace, plan) REFERENCES plans (workspace, id) ON DELETE CASCADE
);

CREATE TABLE agents (
    workspace TEXT NOT NULL,
    id TEXT NOT NULL,
    revision BIGINT NOT NULL,
    name TEXT NOT NULL,
    source TEXT NOT NULL,
    body TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (workspace, id)
);
CREATE INDEX agents_in_order ON agents (workspace, created_ms, id);

-- The plans of agents, in their order; 0 is the first choice. The key keeps a plan that is used from being deleted,
-- whoever checked what before.
CREATE TABLE agent_plans (
    workspace TEXT NOT NULL,
    agent TEXT NOT NULL,
    position BIGINT NOT NULL,
    plan TEXT NOT NULL,
    PRIMARY KEY (workspace, agent, position),
    FOREIGN KEY (workspace, agent) REFERENCES agents (workspace, id) ON DELETE CASCADE,
    FOREIGN KEY (workspace, plan) REFERENCES plans (workspace, id) ON DELETE RESTRICT
);
CREATE INDEX agent_plans_of_plan ON agent_plans (workspace, plan);

-- What live sessions are bound to. plan_revision is 0, and plan "", for the client's own login.
CREATE TABLE sessions (
    workspace TEXT NOT NULL,
    session TEXT NOT NULL,
    generation BIGINT NOT NULL,
    plan TEXT NOT NULL,
    plan_revision BIGINT NOT NULL,
    body TEXT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (workspace, session)
);
CREATE INDEX sessions_of_plan ON sessions (workspace, plan, plan_revision);

CREATE TABLE acceptances (
    workspace TEXT NOT NULL,
    session TEXT NOT NULL,
    step TEXT NOT NULL,
    turn TEXT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (workspace, session)
);

-- +goose Down
DROP TABLE acceptances;
DROP TABLE sessions;
DROP TABLE agent_plans;
DROP TABLE agents;
DROP TABLE plan_detections;
DROP TABLE plan_revisions;
DROP TABLE plans;
