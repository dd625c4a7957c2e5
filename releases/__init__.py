"""In which releases of the frameworks the formulas hold."""
