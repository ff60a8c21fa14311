-- A store as the version with GRDB wrote it: the output of sqlite3's .dump. Its checksums are of that version, too.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('epoch, users and sessions');
INSERT INTO grdb_migrations VALUES('failed log-ins');
INSERT INTO grdb_migrations VALUES('devices of nodes');
INSERT INTO grdb_migrations VALUES('keys');
INSERT INTO grdb_migrations VALUES('logbooks');
INSERT INTO grdb_migrations VALUES('newest segment');
INSERT INTO grdb_migrations VALUES('recoveries');
INSERT INTO grdb_migrations VALUES('sites');
INSERT INTO grdb_migrations VALUES('sequences');
INSERT INTO grdb_migrations VALUES('rosters');
INSERT INTO grdb_migrations VALUES('versions of removed sites');
INSERT INTO grdb_migrations VALUES('progress');
INSERT INTO grdb_migrations VALUES('use of sessions');
INSERT INTO grdb_migrations VALUES('scopes of keys');
INSERT INTO grdb_migrations VALUES('sign-ups');
INSERT INTO grdb_migrations VALUES('edits of posts');
INSERT INTO grdb_migrations VALUES('records of services');
INSERT INTO grdb_migrations VALUES('moves');
CREATE TABLE epoch (id INTEGER PRIMARY KEY CHECK (id = 1), value INTEGER NOT NULL);
INSERT INTO epoch VALUES(1,1795896306);
CREATE TABLE users (
    email TEXT PRIMARY KEY, account TEXT NOT NULL, role TEXT NOT NULL,
    isOperator INTEGER NOT NULL, passwordHash TEXT NOT NULL);
INSERT INTO users VALUES('demo@sensibus.local','demo','owner',1,'$argon2id$v=19$m=65536,t=2,p=1$Ci15GAUeFB86inQA/iBnaA$oMIyv3d7qsXoAOEEBsm+FWrJ80EaGHUC2NcT4tCdhIU');
INSERT INTO users VALUES('ann@example.com','demo','viewer',0,'$argon2id$v=19$m=65536,t=2,p=1$0btqFEAg1B87baDrM4Ss1Q$A7uMwvp0HtLqoLABl+5yySwRM3M/njf4NUkJHQT+X1Q');
CREATE TABLE sessions (
    digest BLOB PRIMARY KEY, email TEXT NOT NULL, openedAtMs INTEGER NOT NULL, usedAtMs INTEGER NOT NULL DEFAULT 0);
INSERT INTO sessions VALUES(X'd42dd3964fa738e340ae3143190b2d8e81629603e0859a5d319d6468c7fa5462','demo@sensibus.local',1795896306473,1795896306473);
INSERT INTO sessions VALUES(X'236b91f5b94652d71f8c1347b22987f2a75d037dfb7c88d134eb0a1de3e6ef41','demo@sensibus.local',1795896306473,1795896306473);
CREATE TABLE loginFailures (
    email TEXT PRIMARY KEY, count INTEGER NOT NULL, lastAtMs INTEGER NOT NULL);
CREATE TABLE nodes (
    account TEXT NOT NULL, name TEXT NOT NULL, heardIn INTEGER NOT NULL,
    PRIMARY KEY (account, name));
INSERT INTO nodes VALUES('demo','node-1',1795896306);
CREATE TABLE nodeDevices (
    id INTEGER PRIMARY KEY, account TEXT NOT NULL, node TEXT NOT NULL, devices BLOB NOT NULL);
INSERT INTO nodeDevices VALUES(1,'demo','node-1',X'564d6539424e505453616f45727a6c644451557046365866');
CREATE TABLE keys (
    digest BLOB PRIMARY KEY, email TEXT NOT NULL, name TEXT NOT NULL,
    madeAtMs INTEGER NOT NULL, scope TEXT NOT NULL DEFAULT 'switch', UNIQUE (email, name));
INSERT INTO keys VALUES(X'5a8e8a0e41e2ee2bc97e103e68f4f8ca087803280a8d404694a403e7154a4c6c','demo@sensibus.local','script',1795896318294,'switch');
CREATE TABLE logbooks (
    account TEXT PRIMARY KEY, lastPost INTEGER NOT NULL, lastComment INTEGER NOT NULL,
    lastAuthor INTEGER NOT NULL, horizonMs INTEGER);
INSERT INTO logbooks VALUES('demo',1,1,1,NULL);
CREATE TABLE posts (
    account TEXT NOT NULL, number INTEGER NOT NULL, requestID TEXT, author INTEGER NOT NULL,
    email TEXT, writtenAtMs INTEGER NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL,
    device TEXT, deviceName TEXT, site TEXT, editedAtMs INTEGER,
    PRIMARY KEY (account, number), UNIQUE (account, requestID));
INSERT INTO posts VALUES('demo',1,'01a223c3-1ae5-7b36-9c48-7c8bf04075b6',1,'demo@sensibus.local',1795896318703,'Fan «loud»','The fan — of Kitchen 1 — is ''loud''; "call" Ola.','VMe9BNPT','Bedroom 1',NULL,NULL);
CREATE TABLE comments (
    account TEXT NOT NULL, number INTEGER NOT NULL, post INTEGER NOT NULL,
    requestID TEXT NOT NULL, author INTEGER NOT NULL, email TEXT NOT NULL,
    writtenAtMs INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (account, number), UNIQUE (account, requestID));
INSERT INTO comments VALUES('demo',1,1,'01a223c3-1b48-7e5b-9156-a5ea87353c0c',1,'demo@sensibus.local',1795896318797,'Fixed ☃');
CREATE TABLE newestSegment (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL);
INSERT INTO newestSegment VALUES(1,1);
CREATE TABLE recoveries (
    email TEXT PRIMARY KEY, digest BLOB NOT NULL, begunAtMs INTEGER NOT NULL);
CREATE TABLE sites (
    account TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, name TEXT NOT NULL,
    description TEXT NOT NULL, latitudeMicrodegrees INTEGER, longitudeMicrodegrees INTEGER,
    address TEXT NOT NULL, city TEXT NOT NULL, country TEXT, timeZone TEXT,
    PRIMARY KEY (account, id));
INSERT INTO sites VALUES('demo','prcy8libeL',1,'Home','',NULL,NULL,'','',NULL,NULL);
CREATE TABLE siteDevices (
    account TEXT NOT NULL, device TEXT NOT NULL, site TEXT NOT NULL,
    PRIMARY KEY (account, device));
INSERT INTO siteDevices VALUES('demo','SaoErzld','prcy8libeL');
INSERT INTO siteDevices VALUES('demo','VMe9BNPT','prcy8libeL');
CREATE TABLE sequences (
    account TEXT NOT NULL, id TEXT NOT NULL, record BLOB NOT NULL,
    PRIMARY KEY (account, id));
INSERT INTO sequences VALUES('demo','01a223c3-490a-7202-970d-9cd6755dfe12',X'0102720a49c323a20112fe5d75d69c0d97000100000001003154504e4239654d56010000000000000000130064656d6f4073656e73696275732e6c6f63616c1049c323a201000004011449c323a20100000301701049c323a20112fe5d75d69c0d970000001449c323a2010000');
CREATE TABLE sequenceHorizons (account TEXT PRIMARY KEY, idTimeMs INTEGER NOT NULL);
CREATE TABLE recall (id INTEGER PRIMARY KEY CHECK (id = 1), isWhole INTEGER NOT NULL);
INSERT INTO recall VALUES(1,1);
CREATE TABLE rosters (
    account TEXT PRIMARY KEY, version INTEGER NOT NULL, name TEXT NOT NULL,
    message TEXT NOT NULL, timeZone TEXT NOT NULL, lastImport TEXT);
INSERT INTO rosters VALUES('demo',2,'','Mind the gap','Etc/UTC','01a223c3-1d0c-799a-9a17-859ea3177d6c');
CREATE TABLE shifts (
    account TEXT NOT NULL, place INTEGER NOT NULL, who TEXT NOT NULL, email TEXT,
    fromMs INTEGER NOT NULL, toMs INTEGER NOT NULL,
    PRIMARY KEY (account, place)) WITHOUT ROWID;
INSERT INTO shifts VALUES('demo',0,'Demo','demo@sensibus.local',1795852800000,1795896000000);
INSERT INTO shifts VALUES('demo',1,'Kari','kari@example.com',1795896000000,1795939200000);
INSERT INTO shifts VALUES('demo',2,'Demo','demo@sensibus.local',1795939200000,1795982400000);
INSERT INTO shifts VALUES('demo',3,'Kari','kari@example.com',1795982400000,1796025600000);
INSERT INTO shifts VALUES('demo',4,'Demo','demo@sensibus.local',1796025600000,1796068800000);
INSERT INTO shifts VALUES('demo',5,'Kari','kari@example.com',1796068800000,1796112000000);
INSERT INTO shifts VALUES('demo',6,'Demo','demo@sensibus.local',1796112000000,1796155200000);
INSERT INTO shifts VALUES('demo',7,'Kari','kari@example.com',1796155200000,1796198400000);
INSERT INTO shifts VALUES('demo',8,'Demo','demo@sensibus.local',1796198400000,1796241600000);
INSERT INTO shifts VALUES('demo',9,'Kari','kari@example.com',1796241600000,1796284800000);
INSERT INTO shifts VALUES('demo',10,'Demo','demo@sensibus.local',1796284800000,1796328000000);
INSERT INTO shifts VALUES('demo',11,'Kari','kari@example.com',1796328000000,1796371200000);
INSERT INTO shifts VALUES('demo',12,'Demo','demo@sensibus.local',1796371200000,1796414400000);
INSERT INTO shifts VALUES('demo',13,'Kari','kari@example.com',1796414400000,1796457600000);
CREATE TABLE removedSites (account TEXT PRIMARY KEY, newestVersion INTEGER NOT NULL);
CREATE TABLE progress (
    id INTEGER PRIMARY KEY CHECK (id = 1), changes INTEGER NOT NULL,
    isSummed INTEGER NOT NULL, isWitnessed INTEGER NOT NULL);
INSERT INTO progress VALUES(1,20,1,1);
CREATE TABLE tableSums (
    name TEXT PRIMARY KEY, rows INTEGER NOT NULL, checksums INTEGER NOT NULL);
INSERT INTO tableSums VALUES('comments',1,3162938156);
INSERT INTO tableSums VALUES('epoch',1,3029054775);
INSERT INTO tableSums VALUES('keys',1,591388472);
INSERT INTO tableSums VALUES('logbooks',1,3629152211);
INSERT INTO tableSums VALUES('loginFailures',0,0);
INSERT INTO tableSums VALUES('movedTokens',0,0);
INSERT INTO tableSums VALUES('moves',0,0);
INSERT INTO tableSums VALUES('newestSegment',1,615168063);
INSERT INTO tableSums VALUES('nodeDevices',1,3737288936);
INSERT INTO tableSums VALUES('nodes',1,1206688500);
INSERT INTO tableSums VALUES('posts',1,1622682005);
INSERT INTO tableSums VALUES('recall',1,615168063);
INSERT INTO tableSums VALUES('recoveries',0,0);
INSERT INTO tableSums VALUES('removedSites',0,0);
INSERT INTO tableSums VALUES('rosters',1,3679772794);
INSERT INTO tableSums VALUES('sequenceHorizons',0,0);
INSERT INTO tableSums VALUES('sequences',1,2851470037);
INSERT INTO tableSums VALUES('serviceRecords',1,1928878797);
INSERT INTO tableSums VALUES('sessions',2,2861482933);
INSERT INTO tableSums VALUES('shifts',14,29241476629);
INSERT INTO tableSums VALUES('signUps',0,0);
INSERT INTO tableSums VALUES('siteDevices',2,3729404959);
INSERT INTO tableSums VALUES('sites',1,184720891);
INSERT INTO tableSums VALUES('users',2,4315992692);
INSERT INTO tableSums VALUES('sqlite_schema',54,128759597120);
CREATE TABLE signUps (id INTEGER PRIMARY KEY CHECK (id = 1), wholeAtMs INTEGER NOT NULL);
CREATE TABLE serviceRecords (
    service TEXT NOT NULL, account TEXT NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (service, account, key)) WITHOUT ROWID;
INSERT INTO serviceRecords VALUES('labels','demo',X'564d6539424e5054',X'0a056e69676874');
CREATE TABLE moves (
    place INTEGER PRIMARY KEY, state TEXT NOT NULL, moved TEXT NOT NULL, source TEXT NOT NULL,
    target TEXT NOT NULL, epoch INTEGER NOT NULL, number INTEGER NOT NULL,
    targetEpoch INTEGER NOT NULL, UNIQUE (source, epoch, number, state));
CREATE TABLE movedTokens (digest BLOB PRIMARY KEY, cell TEXT NOT NULL);
CREATE INDEX loginFailuresByAge ON loginFailures (lastAtMs);
CREATE INDEX nodeDevicesByNode ON nodeDevices (account, node);
CREATE INDEX commentsByPost ON comments (account, post, number);
CREATE INDEX recoveriesByAge ON recoveries (begunAtMs);
CREATE INDEX siteDevicesBySite ON siteDevices (account, site);
COMMIT;
