"""Review, localize and curate tau2-format agent benchmarks.

Layers, each importing only what stands below it:

    app, cli    entry points: Streamlit pages, command line
    ui          a folder a page (only Streamlit)
    workflows   use cases, one transaction each, in packages along the pipeline
    store       SQLite (only SQL); llm, cluster: models and Dask
    records     rows of the database
    core        pure rules: formats, glossary, checks, tool environments, scoring
    models, config, errors, notices
"""

__version__ = "0.1.0"
