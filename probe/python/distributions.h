#pragma once
// Installed distributions from their metadata, and conflicts between their lists of files.
#include <string>
#include <string_view>
#include <vector>

#include "evidence/snapshot.h"
#include "host/host.h"

namespace envdoctor {

struct Distribution {
  std::string name{};  // as spelled in its folder's name: "typing_extensions"
  std::string version{};
  std::string folder{};    // the package folder it lies in
  std::string metadata{};  // path of its .dist-info or .egg-info
  std::string record{};    // the text of RECORD; empty: it has none, or read_record() was not called
};

// A distribution's name as pip compares it: lower case, runs of - _ . as one -.
std::string normal_name(std::string_view name);

// Of one package folder, sorted by file name.
std::vector<Distribution> distributions_in(const Host& host, const std::string& folder);
void read_record(const Host& host, Distribution& one);
// Whether gpu_packages_in() lists packages of this name.
bool carries_gpu_libraries(const Distribution& one);

// One line of RECORD. `size` is -1 where none is recorded.
struct RecordedFile {
  std::string_view path{};
  std::int64_t size = -1;
};
// Calls take(RecordedFile) for each file of a RECORD.
template <class Take>
void each_recorded(std::string_view record, Take take);

// A line of METADATA or WHEEL: header(text, "Tag") of "Tag: cp311-cp311-linux_x86_64". Empty: no such line.
std::string header(std::string_view text, std::string_view name);

std::vector<WrittenTwice> written_twice(const Host& host, const std::vector<Distribution>& all);
// `folders`: the package folders that installers write.
std::vector<PackageDamage> damage_in(const Host& host, const std::vector<std::string>& folders,
                                     const std::vector<Distribution>& all);
// The requirements on other packages in the frameworks' metadata, in the environment of this Python ("3.11.7").
std::vector<PackageRequirement> requirements_of(const Host& host, const std::vector<Distribution>& all,
                                                const std::string& python);
// The packages that contain GPU libraries, with the libraries.
std::vector<GpuPackage> gpu_packages_in(const std::vector<Distribution>& all);

template <class Take>
void each_recorded(std::string_view record, Take take) {
  while (!record.empty()) {
    std::string_view line = record.substr(0, record.find('\n'));
    record.remove_prefix(line.size() == record.size() ? line.size() : line.size() + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    RecordedFile file;
    const auto last = line.rfind(',');
    const auto middle = last == line.npos ? line.npos : line.rfind(',', last - 1);
    if (middle == line.npos || middle == 0 || last == 0) continue;
    file.path = line.substr(0, middle);
    if (file.path.size() > 1 && file.path.front() == '"') file.path = file.path.substr(1, file.path.size() - 2);
    std::int64_t size = 0;
    for (const char c : line.substr(last + 1)) size = c < '0' || c > '9' || size > INT32_MAX ? -1 : size * 10 + c - '0';
    file.size = last + 1 < line.size() ? size : -1;
    take(file);
  }
}

// A value in a Python source with plain assignments or one printed dictionary: the text after `name =`, `name: T =`,
// 'name': or 'name',. Quotes are taken off; "None", "True" and "[...]" are returned as written. Empty: not there.
std::string python_value(std::string_view source, std::string_view name);

// Fills tensorflow, torch, jax and keras of the snapshot, each only if its package is installed.
void read_framework_builds(const Host& host, const std::vector<std::string>& folders,
                           const std::vector<Distribution>& all, Snapshot& part);

// The path of Keras's configuration: $KERAS_HOME/keras.json, else ~/.keras/keras.json. Empty: no home.
std::string keras_config_file(const Host& host);

}  // namespace envdoctor
