#include "checks/visibility/settings.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace envdoctor::visibility {

using enum SymptomClass;

namespace {

// "CUDA_VISIBLE_DEVICES= python train.py": the value is empty, and the command follows the blank.
bool is_the_command(const Symptom& line, const std::string& name, const std::string& value) {
  const bool word = !value.empty() && std::isalpha(static_cast<unsigned char>(value[0]));
  return word && !value.starts_with("GPU-") && !value.starts_with("MIG-") &&
         line.text.or_empty().find(name + "= " + value) != std::string::npos;
}

// "ROCR_VISIBLE_DEVICES=1 HIP_VISIBLE_DEVICES=1": a line's symptom has the first; the others are in its text.
void add_others(const Symptom& line, const std::string& first, std::vector<Setting>& all) {
  const std::string& text = line.text.or_empty();
  for (const std::string name : {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}) {
    const std::size_t at = name == first ? text.npos : text.find(" " + name + "=");
    if (at == text.npos) continue;
    const std::string value = text.substr(at + name.size() + 2);
    const bool by_name = value.starts_with("GPU-") || value.starts_with("MIG-");
    const std::size_t end = by_name ? value.find_first_of(" \t\"'];") : value.find_first_not_of("-,.0123456789");
    all.push_back({name, value.substr(0, end), &line, false});
  }
}

// "env=\"map[CUDA_VISIBLE_DEVICES: GPU_DEVICE_ORDINAL: HIP_VISIBLE_DEVICES:0 …]\"": a program in Go prints what it
// reads of its environment, and nothing behind the colon where the variable is not set.
bool in_map_of_go(const Symptom& line) { return line.text.or_empty().find("map[") != std::string::npos; }

void add_of_map(const Symptom& line, std::vector<Setting>& all) {
  const std::string& text = line.text.or_empty();
  for (const std::string name : {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}) {
    const std::size_t at = text.find(name + ":");
    if (at == text.npos || at == 0 || (text[at - 1] != ' ' && text[at - 1] != '[')) continue;
    const std::size_t value = at + name.size() + 1;
    const std::string set = text.substr(value, text.find_first_of(" ]", value) - value);
    if (!set.empty()) all.push_back({name, set, &line, false});
  }
}

}  // namespace

std::vector<Setting> shown_settings(const Facts& facts) {
  std::vector<Setting> all;
  for (const Kind& kind : {Kind{noted, "visible-devices"}, Kind{noted, "visible-devices-in-program"}}) {
    for (const Symptom* one : facts.all(kind)) {
      // A missing value after the name means an empty value.
      const std::string name = one->detail("name");
      if (name.empty()) continue;
      if (in_map_of_go(*one)) {
        add_of_map(*one, all);
        continue;
      }
      std::string value = one->detail("value");
      if (is_the_command(*one, name, value)) value.clear();
      all.push_back({name, value, one, one->is({noted, "visible-devices-in-program"})});
      if (!all.back().in_program) add_others(*one, name, all);
    }
  }
  return all;
}

Setting setting_of(const Facts& facts, const std::string& name) {
  const Text set = env_of(facts, name);
  if (set.get()) return {name, *set.get()};
  const auto shown = shown_settings(facts);
  return shown.empty() ? Setting{} : shown.front();
}

bool hides_all(const Facts& facts, const Setting& setting) {
  const auto entries = entries_of(setting.value);
  if (entries.empty()) return !of(facts.snapshot().host, &HostFacts::platform).is("windows");
  // The words that no text uses in place of a number.
  static const std::set<std::string> words = {"none", "NoDevFiles", "all",    "any",  "auto", "cpu",
                                              "gpu",  "cuda",       "cuda:0", "true", "false"};
  // A shell that traces its commands ("+ NAME=value") shows the value itself.
  const bool traced = setting.shown && setting.shown->text.or_empty().starts_with("+ ");
  const std::string_view first = entries.front();
  const bool plain_word = !first.empty() && first.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == first.npos;
  return first.starts_with("-") || words.contains(std::string(first)) || (traced && plain_word);
}

Finding& found_in(Answers& answers, const Setting& setting, Confidence confidence) {
  return answers.found_in(*setting.shown, confidence, "env:" + setting.name);
}

bool no_device_answered(const Facts& facts) {
  return facts.saw({{missing, "visible-gpu"},
                    {missing, "cuda-device"},
                    {missing, "available-gpu"},
                    {missing, "hip-device"},
                    {missing, "tensorflow-gpu"},
                    {missing, "torch-cuda"},
                    {missing, "jax-gpu"},
                    {missing, "supported-device"},
                    {missing, "any-gpu"}}) ||
         facts.with({failed, "cuinit"}, "code", cuda_error::no_device);
}

std::size_t listed_gpus(const Facts& facts) {
  const std::size_t listed = of(facts.snapshot().nvidia, &Nvidia::devices).or_empty().size();
  // A text that names cards of two generations shows more than the one of which a program told.
  std::set<std::string> generations;
  for (const Symptom* one : facts.all({SymptomClass::noted, "stated-gpu"}))
    generations.insert(one->detail("capability"));
  return listed == 0 ? 0 : std::max(listed, generations.size());
}

}  // namespace envdoctor::visibility
