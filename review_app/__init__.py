"""Review, localize and curate tau2-format agent benchmarks.

Layers, each importing only what stands below it:

    app, cli    entry points: Streamlit pages, command line
    ui          one file a page (only Streamlit)
    workflows   use cases, one transaction each
    store       SQLite (only SQL)
    core        pure rules: formats, glossary, checks, tool environments
    models, errors, config
"""

__version__ = "0.1.0"
