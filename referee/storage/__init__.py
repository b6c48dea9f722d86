"""What the disk holds: evenings, records, settings of the table."""
