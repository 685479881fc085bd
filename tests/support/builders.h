#pragma once
// Snapshots for tests of checks, built from small parts, and shortcuts to a check's answers.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checks/engine/diagnosis.h"

namespace envdoctor {

// A GPU on the bus. `driver` as lspci would name it; absent("...") for none bound.
PciDevice pci_gpu(std::string address, std::string vendor_id, std::string device_id, Text driver);

// An A100 (10de:20b0), bound to the nvidia driver.
PciDevice pci_a100(std::string address = "0000:65:00.0", Text driver = "nvidia");
// The same card as NVML shows it.
NvidiaDevice nvml_a100(std::int64_t index = 0, std::string address = "0000:65:00.0");
CudaDevice cuda_a100(std::int64_t ordinal = 0, std::string address = "0000:65:00.0");

Module module_named(std::string name, Text version = absent("the module carries none"));

// A node that this user may open.
DeviceNode node_at(std::string path, std::string group = "root", std::int64_t gid = 0, std::string mode = "0666");
// The same node where opening it fails with this error.
DeviceNode closed_node(DeviceNode node, std::string error);

SharedLibrary library_at(std::string soname, std::string path, std::string origin = "ldcache");
SharedLibrary library_missing(std::string soname);

// A symptom on line 1 of `source`; the detail "code" becomes its code.
Symptom symptom_of(const Kind& kind, std::map<std::string, std::string> details = {}, std::string source = "kernel");

// A Linux host with nothing special about it and no GPU: everything probed, nothing found.
Snapshot plain_host();
// A healthy Linux host with one A100 and driver 550: every layer probed and healthy.
Snapshot healthy_nvidia_host();
// The same host inside a container.
Snapshot in_docker(Snapshot snapshot);

// judge()'s answers for only these diagnoses; no ids: for all.
Answers answers_of_all(const std::vector<std::string>& ids, const Snapshot& snapshot);
Answers answers_of(const std::string& id, const Snapshot& snapshot);
// The first finding with this id; null: none.
const Finding* finding_of(const Answers& answers, const std::string& id);
// The state of this id in a report: failed if there is a finding, otherwise the worst state. An id without any answer
// gives "nothing".
std::string state_of(const Answers& answers, const std::string& id);
std::string state_of(const std::string& id, const Snapshot& snapshot);
// All evidence paths of a finding, for comparison in one line.
std::vector<std::string> paths_of(const Finding& finding);

}  // namespace envdoctor
