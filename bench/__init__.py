"""What graphmend is measured on, the probes that measure, and the tables made of it."""
