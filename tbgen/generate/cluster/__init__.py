"""Work on a dask.distributed cluster, for tables of all kinds: tasks whose results lie in a directory that all see."""
