"""Resources that belong to a site as a whole and to no module of devices."""
