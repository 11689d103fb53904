"""The kinds that the stand-ins watch or write, with the versions that the real operators serve."""

from __future__ import annotations

from podwright.lab.openshift.cache import Kind

NODES = Kind("v1", "nodes")
PODS = Kind("v1", "pods")
NAMESPACES = Kind("v1", "namespaces")
CONFIG_MAPS = Kind("v1", "configmaps")
CLAIMS = Kind("v1", "persistentvolumeclaims")
VOLUMES = Kind("v1", "persistentvolumes")
DEPLOYMENTS = Kind("apps/v1", "deployments")
DAEMON_SETS = Kind("apps/v1", "daemonsets")
STORAGE_CLASSES = Kind("storage.k8s.io/v1", "storageclasses")
CSI_DRIVERS = Kind("storage.k8s.io/v1", "csidrivers")
ATTACHMENTS = Kind("storage.k8s.io/v1", "volumeattachments")

SUBSCRIPTIONS = Kind("operators.coreos.com/v1alpha1", "subscriptions")
INSTALL_PLANS = Kind("operators.coreos.com/v1alpha1", "installplans")
CSVS = Kind("operators.coreos.com/v1alpha1", "clusterserviceversions")
CATALOG_SOURCES = Kind("operators.coreos.com/v1alpha1", "catalogsources")
OPERATOR_GROUPS = Kind("operators.coreos.com/v1", "operatorgroups")

DIGEST_MIRRORS = Kind("config.openshift.io/v1", "imagedigestmirrorsets")
TAG_MIRRORS = Kind("config.openshift.io/v1", "imagetagmirrorsets")
IMAGES = Kind("config.openshift.io/v1", "images")
IMAGE_POLICIES = Kind("config.openshift.io/v1", "clusterimagepolicies")
OPERATOR_HUBS = Kind("config.openshift.io/v1", "operatorhubs")
CLUSTER_VERSIONS = Kind("config.openshift.io/v1", "clusterversions")
CLUSTER_OPERATORS = Kind("config.openshift.io/v1", "clusteroperators")
MACHINE_CONFIGS = Kind("machineconfiguration.openshift.io/v1", "machineconfigs")
MACHINE_CONFIGURATIONS = Kind("operator.openshift.io/v1", "machineconfigurations")
KUBELET_CONFIGS = Kind("machineconfiguration.openshift.io/v1", "kubeletconfigs")
CONTAINER_RUNTIME_CONFIGS = Kind("machineconfiguration.openshift.io/v1", "containerruntimeconfigs")
TUNEDS = Kind("tuned.openshift.io/v1", "tuneds")
TUNED_PROFILES = Kind("tuned.openshift.io/v1", "profiles")
MACHINE_CONFIG_POOLS = Kind("machineconfiguration.openshift.io/v1", "machineconfigpools")

HEALTH_CHECKS = Kind("remediation.medik8s.io/v1alpha1", "nodehealthchecks")
REMEDIATIONS = Kind("self-node-remediation.medik8s.io/v1alpha1", "selfnoderemediations")
REMEDIATION_TEMPLATES = Kind("self-node-remediation.medik8s.io/v1alpha1", "selfnoderemediationtemplates")
REMEDIATION_CONFIGS = Kind("self-node-remediation.medik8s.io/v1alpha1", "selfnoderemediationconfigs")

ALERTING_RULES = Kind("monitoring.openshift.io/v1", "alertingrules")
PROMETHEUS_RULES = Kind("monitoring.coreos.com/v1", "prometheusrules")

KEDA_CONTROLLERS = Kind("keda.sh/v1alpha1", "kedacontrollers")
SERVICE_MONITORS = Kind("monitoring.coreos.com/v1", "servicemonitors")

SERVICES = Kind("v1", "services")
SECRETS = Kind("v1", "secrets")
GATEWAY_CLASSES = Kind("gateway.networking.k8s.io/v1", "gatewayclasses")
GATEWAYS = Kind("gateway.networking.k8s.io/v1", "gateways")
HTTP_ROUTES = Kind("gateway.networking.k8s.io/v1", "httproutes")
POOLS = Kind("inference.networking.k8s.io/v1", "inferencepools")
DESTINATION_RULES = Kind("networking.istio.io/v1", "destinationrules")

CERT_MANAGERS = Kind("operator.openshift.io/v1alpha1", "certmanagers")
KUEUES = Kind("kueue.openshift.io/v1", "kueues")
JOB_SET_OPERATORS = Kind("operator.openshift.io/v1", "jobsetoperators")

INITIALIZATIONS = Kind("dscinitialization.opendatahub.io/v2", "dscinitializations")
DATA_SCIENCE_CLUSTERS = Kind("datasciencecluster.opendatahub.io/v2", "datascienceclusters")
HARDWARE_PROFILES = Kind("infrastructure.opendatahub.io/v1", "hardwareprofiles")

NMSTATES = Kind("nmstate.io/v1", "nmstates")
NETWORK_POLICIES = Kind("nmstate.io/v1", "nodenetworkconfigurationpolicies")
NETWORK_ENACTMENTS = Kind("nmstate.io/v1beta1", "nodenetworkconfigurationenactments")
NETWORK_STATES = Kind("nmstate.io/v1beta1", "nodenetworkstates")

NODE_FEATURE_DISCOVERIES = Kind("nfd.openshift.io/v1", "nodefeaturediscoveries")
CLUSTER_POLICIES = Kind("nvidia.com/v1", "clusterpolicies")
NVIDIA_DRIVERS = Kind("nvidia.com/v1alpha1", "nvidiadrivers")
NIC_CLUSTER_POLICIES = Kind("mellanox.com/v1alpha1", "nicclusterpolicies")
NIC_NODE_POLICIES = Kind("mellanox.com/v1alpha1", "nicnodepolicies")
NIC_CONFIGURATION_TEMPLATES = Kind("configuration.net.nvidia.com/v1alpha1", "nicconfigurationtemplates")
NIC_DEVICES = Kind("configuration.net.nvidia.com/v1alpha1", "nicdevices")
IP_POOLS = Kind("nv-ipam.nvidia.com/v1alpha1", "ippools")
CIDR_POOLS = Kind("nv-ipam.nvidia.com/v1alpha1", "cidrpools")
NODE_MAINTENANCES = Kind("maintenance.nvidia.com/v1alpha1", "nodemaintenances")
MAINTENANCE_CONFIGS = Kind("maintenance.nvidia.com/v1alpha1", "maintenanceoperatorconfigs")
NETWORK_ATTACHMENTS = Kind("k8s.cni.cncf.io/v1", "network-attachment-definitions")

SRIOV_NODE_POLICIES = Kind("sriovnetwork.openshift.io/v1", "sriovnetworknodepolicies")
SRIOV_POOL_CONFIGS = Kind("sriovnetwork.openshift.io/v1", "sriovnetworkpoolconfigs")
SRIOV_NODE_STATES = Kind("sriovnetwork.openshift.io/v1", "sriovnetworknodestates")
SRIOV_NETWORKS = Kind("sriovnetwork.openshift.io/v1", "sriovnetworks")
SRIOV_OPERATOR_CONFIGS = Kind("sriovnetwork.openshift.io/v1", "sriovoperatorconfigs")
