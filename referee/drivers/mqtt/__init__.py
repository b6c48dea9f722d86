"""A table's link to an MQTT broker: its view, its verdicts, its results for a hall, and Home Assistant."""
