"""A table's link to an MQTT broker, for a hall and for Home Assistant."""
