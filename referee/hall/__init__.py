"""A hall of many tables: takes their results by MQTT, stores them and shows them."""
