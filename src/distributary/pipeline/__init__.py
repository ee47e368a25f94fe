"""The first router, on PySpark: profile, merge, evaluate merged queries in one pass, write channels; data source."""
