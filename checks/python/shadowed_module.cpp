// python.shadowed-module: a user's own file has the name of a package, and Python imports it instead.
#include "checks/engine/rule.h"

namespace envdoctor::python_shadowed_module {

using enum SymptomClass;

bool installed(std::string_view file) {
  for (const char* part : {"site-packages", "dist-packages", "lib/python", "Lib\\", "<frozen", "/keras/", "/torch/",
                           "/tensorflow/", "/jax/", "/transformers/", "/numpy/"}) {
    if (file.find(part) != std::string_view::npos) return true;
  }
  return false;
}

// A frame of a traceback in a file named as a package that lies beside the program.
const Symptom* own_file(const Facts& facts) {
  const auto& frames = facts.all({noted, "file-named-as-package"});
  const auto own = std::ranges::find_if(frames, [](const Symptom* line) { return !installed(line->detail("file")); });
  return own == frames.end() ? nullptr : *own;
}

// A frame of a traceback in the folder of a package that isn't an installed one: a checkout of the sources, most often.
const Symptom* own_folder(const Facts& facts) {
  const auto& frames = facts.all({noted, "folder-named-as-package"});
  const auto own = std::ranges::find_if(frames, [](const Symptom* line) {
    const std::string file = line->detail("file");
    return file.find("-packages") == file.npos && file.find("<frozen") == file.npos;
  });
  return own == frames.end() ? nullptr : *own;
}

bool import_fails(const Facts& facts) {
  return facts.saw({{failed, "python-import"},
                    {hidden, "half-imported-package"},
                    {missing, "python-module"},
                    {missing, "name-in-module"}});
}

void judge(const Facts& facts, Answers& answers) {
  const Symptom* own = own_file(facts);
  if (const Symptom* line = facts.first({{hidden, "python-package"}})) {
    Finding& finding = answers.found_in(*line, Confidence::likely);
    if (own) finding.evidence.push_back(evidence(*own));
    return;
  }
  if (const Symptom* folder = own_folder(facts); folder && !own && facts.saw({{missing, "python-module"}})) {
    Finding& finding = answers.found_in(*folder, Confidence::likely);
    finding.explanation = fmt::format("{} was imported, which is no installed package: its compiled part is missing.",
                                      folder->detail("file"));
    finding.fix = {{.text = "Start Python in another folder than the sources, or build them in place."}};
    return;
  }
  const Symptom* half = facts.first({{hidden, "half-imported-package"}});
  if (own && import_fails(facts)) {
    Finding& finding = answers.found_in(*own, Confidence::likely);
    finding.explanation = own->detail("file") + " was run in place of the package " + own->detail("module") + ".";
    return;
  }
  if (half && !facts.saw({{mismatch, "torch-extension-version"},
                          {mismatch, "torchvision-build"},
                          {failed, "package-removal"},
                          {failed, "package-removal-for-install"}})) {
    answers.found_in(*half, Confidence::possible);
    return;
  }
  answers.not_applicable("no import names a file of one's own");
}

Diagnosis diagnosis() {
  return {
      .id = "python.shadowed-module",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "A file of your own stands in a package's place",
      .claim =
          "Python looks beside the program first: a file or folder named as a package (torch.py, tensorflow/, "
          "random.py, a checkout of the sources) is imported instead of it.",
      .proof = "The traceback leads through that file, or Python says that it has the package's name.",
      .disproof = "python -c 'import NAME; print(NAME.__file__)' shows a path in site-packages, in the same folder.",
      .remedy = "Rename the file and delete its __pycache__, or run the program from another folder.",
      .explains = {"python.broken-install", "usage.detected-unused", "runtime.cpu-only-build"},
      .judge = judge,
  };
}

}  // namespace envdoctor::python_shadowed_module
