-- What a run changed, and which servers slip: counted once, when a run is finished.
ALTER TABLE run ADD COLUMN new_findings INTEGER;
ALTER TABLE run ADD COLUMN gone_findings INTEGER;
ALTER TABLE run ADD COLUMN worse INTEGER;
ALTER TABLE server ADD COLUMN slips TEXT;
