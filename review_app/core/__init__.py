"""Pure rules: no files, no SQL, no network, no clock, no Streamlit."""
