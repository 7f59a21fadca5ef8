"""The mechanism and what it proves: draws, noise, bounds, calibration."""
