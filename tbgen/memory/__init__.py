"""Arrays that may lie in files, and what keeps them within the memory that is allowed."""
