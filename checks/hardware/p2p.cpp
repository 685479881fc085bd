#include "checks/engine/rule.h"

namespace envdoctor::hardware_p2p {

using enum SymptomClass;

// One GPU alone reaches none but the host.
bool several_gpus(const Facts& facts) {
  return of(facts.snapshot().nvidia, &Nvidia::devices).or_empty().size() > 1 ||
         facts.saw({{timed_out, "nccl"}, {noted, "gpus-in-topology"}, {noted, "peer-access-used"}});
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "hardware.p2p",
      .layer = Layer::hardware,
      .severity = Severity::warning,
      .title = "Direct transfers between GPUs don't work",
      .claim =
          "GPU-to-GPU copies over PCIe hang or give wrong data, mostly because access control (ACS) or the IOMMU "
          "reroutes them.",
      .proof = "Peer access is refused between the GPUs, or collectives work only with it switched off.",
      .disproof = "The same transfers work with peer-to-peer switched on.",
      .remedy =
          "Switch off ACS, or set the IOMMU to pass-through; until then NCCL_P2P_DISABLE=1 avoids the direct way.",
      .explains = {"runtime.nccl", "compute.unstable", "compute.wrong-results"},
      .symptoms =
          {
              helped_by("peer-access-off"),
              // NCCL says so of every pair without a direct way, also where its network fails.
              {{unsupported, "peer-access"},
               likely,
               [](const Facts& f) {
                 return !f.saw({{failed, "nccl-network"}});
               }},
              // Direct copies are slower than those through the host's memory.
              {{slow, "peer-copy"}, likely},
              {{noted, "p2p-off-helps"}, possible},
              {{present, "pcie-acs-redirect"},
               likely,
               [](const Facts& f) {
                 return f.saw({{timed_out, "nccl"}});
               }},
              // Who prints both looks for what stops the transfers.
              {{present, "pcie-acs-redirect"},
               possible,
               [](const Facts& f) {
                 return f.saw({{noted, "gpus-in-topology"}});
               }},
              {{present, "iommu-translation"}, possible},
              {{failed, "gpu-iommu-access"}, likely, several_gpus},
              {{wrong_result, "peer-copy"}, likely},
              {{limited, "nvlink"}, possible},
          },
  };
}

}  // namespace envdoctor::hardware_p2p
