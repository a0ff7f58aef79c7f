"""Where it goes: Arrow schemas, Parquet files and the ledger of a run folder."""
