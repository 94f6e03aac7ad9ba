"""The Streamlit pages, one file each, and what they share. Only this package imports Streamlit."""
