"""The same servers by Ansible and by podwright: requests and time of each, measured in one run."""
