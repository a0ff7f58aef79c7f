"""How results look: pictures, and reports of one HTML file (extra ``report``)."""
