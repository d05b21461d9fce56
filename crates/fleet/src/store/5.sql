-- Which worker does a job, and until when that is believed without a sign of life: milliseconds since 1970.
ALTER TABLE job ADD COLUMN worker TEXT;
ALTER TABLE job ADD COLUMN lease INTEGER;
