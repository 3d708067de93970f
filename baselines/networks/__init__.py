"""Networks for any environment: small parts, chosen by the space, and what is built of them."""
