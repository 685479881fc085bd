#pragma once
// All the evidence of one host at one time. A section that was not probed is unknown; it never means 'no'.
#include "evidence/compute_results.h"
#include "evidence/gpu_stacks.h"
#include "evidence/host_facts.h"
#include "evidence/model_agreement.h"
#include "evidence/opencl.h"
#include "evidence/pci.h"
#include "evidence/software.h"
#include "evidence/symptom.h"

namespace envdoctor {

// The line of a text that a field was read from.
struct TextSource {
  Text source{};
  Number line{};
  ENVDOCTOR_FIELDS(TextSource, source, line)
};

// A text that was read: its length, and the lines that most look like the end of a failure.
struct TextLine {
  Number line{};  // from 1
  Text text{};
  ENVDOCTOR_FIELDS(TextLine, line, text)
};

// The cause that most reports with the words of a text have.
struct Resembles {
  Text cause{};               // the id of a diagnosis
  Real share{};               // 0 to 1: its probability among all causes, judged by words alone
  List<std::string> words{};  // the words of the text that weigh most for it
  ENVDOCTOR_FIELDS(Resembles, cause, share, words)
};

struct ReadText {
  Text source{};
  Number lines{};
  List<TextLine> notable{};     // errors that ended something
  List<TextLine> complaints{};  // if there is no such error: problems that its beginning mentions
  List<std::string> about{};    // words of knowledge/wordings/questions.json in its beginning and in those lines
  Reading<Resembles> resembles{};
  ENVDOCTOR_FIELDS(ReadText, source, lines, notable, complaints, about, resembles)
};

// What a text says about a field that is already known to differ: the field stays, and this is kept beside it.
struct Contradiction {
  Text path{};   // JSON pointer of the field
  Text value{};  // what the text says
  Text source{};
  Number line{};
  ENVDOCTOR_FIELDS(Contradiction, path, value, source, line)
};

struct Snapshot {
  Reading<Captured> captured{};
  Map<ProbeStatus> probes{};
  Reading<HostFacts> host{};
  Reading<Cpu> cpu{};
  Reading<Memory> memory{};
  List<PciDevice> pci{};
  List<Module> modules{};
  List<DeviceNode> device_nodes{};
  Reading<Nvidia> nvidia{};
  Reading<Rocm> rocm{};
  Reading<LevelZero> level_zero{};
  Reading<Opencl> opencl{};
  Map<Text> env{};  // a name that is missing where the section is present: not set; see environment_is_whole()
  List<SharedLibrary> libraries{};
  List<Toolkit> toolkits{};
  Reading<Python> python{};
  Reading<Tensorflow> tensorflow{};
  Reading<Torch> torch{};
  Reading<Jax> jax{};
  Reading<Keras> keras{};
  Reading<Topology> topology{};
  List<ComputeResult> compute{};
  List<ComputeNotRun> compute_not_run{};
  Reading<ModelAgreement> agree{};
  List<Symptom> log{};
  List<ReadText> texts{};
  List<Contradiction> contradictions{};
  Map<TextSource> sources{};  // JSON pointer of a field that was read from text; it applies to everything below it
  ENVDOCTOR_FIELDS(Snapshot, captured, probes, host, cpu, memory, pci, modules, device_nodes, nvidia, rocm, level_zero,
                   opencl, env, libraries, toolkits, python, tensorflow, torch, jax, keras, topology, compute,
                   compute_not_run, agree, log, texts, contradictions, sources)
};

}  // namespace envdoctor
