-- What former-store.sql lacks of the tables that services had: the end of the last version's migrations, and rows of
-- another account with every column.
CREATE TABLE fleet (id INTEGER PRIMARY KEY CHECK (id = 1), name INTEGER NOT NULL);
ALTER TABLE progress ADD COLUMN journal BLOB;
INSERT INTO grdb_migrations VALUES('fleet');
INSERT INTO logbooks VALUES('other',12,7,3,1795896318000);
INSERT INTO posts VALUES('other',10,NULL,0,NULL,1795896318001,'Node node-1 is lost','',NULL,NULL,NULL,NULL);
INSERT INTO posts VALUES('other',11,NULL,0,NULL,1795896318002,'A request is undetermined','body','VMe9BNPT','',NULL,NULL);
INSERT INTO posts VALUES('other',12,'01a223c3-1ae5-7b36-9c48-7c8bf0407500',2,'eve@example.com',1795896318003,'Painters','in',NULL,NULL,'Mühle',1795896318004);
INSERT INTO comments VALUES('other',6,12,'01a223c3-1b48-7e5b-9156-a5ea87353c00',3,'ann@example.com',1795896318005,'Yes');
INSERT INTO comments VALUES('other',7,10,'01a223c3-1b48-7e5b-9156-a5ea87353c01',2,'eve@example.com',1795896318006,'No');
INSERT INTO removedSites VALUES('other',9);
INSERT INTO sites VALUES('other','ABCDEFGHIJ',4,'Quay','<p>Gate 3</p>',-33800000,151200000,'Gate 3
Pier O''Hara','Sydney','AU','Australia/Sydney');
INSERT INTO siteDevices VALUES('other','4RbAAAAA','ABCDEFGHIJ');
INSERT INTO sequenceHorizons VALUES('other',1795896318007);
INSERT INTO rosters VALUES('other',3,'Hotel','Tuesday','Europe/Oslo',NULL);
INSERT INTO shifts VALUES('other',0,'The night watch',NULL,1795896318008,1795896318009);
UPDATE progress SET isSummed = 0, isWitnessed = 0;
