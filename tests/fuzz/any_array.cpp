// Any bytes as an array file; bytes that begin like a pickle are put into an archive like torch.save's.
#include <minizip/zip.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>

#include "compare/array_file.h"
#include "compare/arrays.h"
#include "tests/support/fuzz.h"

using namespace envdoctor::compare;

namespace {

void write_archive(const std::string& path, const std::string& pickle) {
  zipFile zip = zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
  for (const auto& [name, content] : {std::pair("a/data.pkl", pickle), {"a/data/0", std::string(64, '\1')}}) {
    zipOpenNewFileInZip(zip, name, nullptr, nullptr, 0, nullptr, 0, nullptr, 0, 0);
    zipWriteInFileInZip(zip, content.data(), static_cast<unsigned>(content.size()));
    zipCloseFileInZip(zip);
  }
  zipClose(zip, nullptr);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("array", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  const std::string bytes = fuzz_input(data, size);
  if (file < 0 || ftruncate(file, 0) != 0) return 0;
  if (bytes.starts_with('\x80'))
    write_archive(path, bytes);
  else if (pwrite(file, bytes.data(), bytes.size(), 0) < 0)
    return 0;
  try {
    std::int64_t total = 0;
    const ArrayFile arrays(path);
    for (const std::string& name : arrays.names()) {
      ArrayReader reader = arrays.open(name);
      total += reader.header().count;
      if (reader.next(1000).values.size() > 1000) broken_promise("more numbers than were asked for", bytes);
    }
    if (total > 1 << 16) return 0;
    for (const ArrayDifference& difference : compare_arrays(path, path, {"sum", 8, {}, {}})) {
      if (!difference.alike()) broken_promise("a file differs from itself", bytes);
    }
  } catch (const BadArray& error) {
    if (std::string(error.what()).find(path) != 0) broken_promise("an error does not name the file", bytes);
  }
  return 0;
}

std::vector<std::string> fuzz_seeds() { return seed_files("any_array"); }
