// Which folder, file or libraries an ICD loader reads. ocl-icd: libOpenCL(7). Khronos: its README and icd_linux.c.
#include "probe/opencl.h"

#include <algorithm>

namespace envdoctor::opencl {
namespace {

constexpr const char* standard_folder = "/etc/OpenCL/vendors";

const std::string* variable(const Host& host, const char* name) {
  const auto found = host.env.find(name);
  return found == host.env.end() ? nullptr : &found->second;
}

Registration khronos(const Host& host) {
  Registration where{.folder = standard_folder};
  if (const auto* names = variable(host, "OCL_ICD_FILENAMES")) {
    for (std::size_t begin = 0; begin < names->size();) {
      const std::size_t end = std::min(names->find(':', begin), names->size());
      if (end > begin) where.libraries.push_back(names->substr(begin, end - begin));
      begin = end + 1;
    }
    if (!where.libraries.empty()) where.variable = "OCL_ICD_FILENAMES";
  }
  // Set and empty counts here: no folder has that name, so none is read.
  if (const auto* folder = variable(host, "OCL_ICD_VENDORS")) {
    where.folder = *folder;
    where.variable = "OCL_ICD_VENDORS";
  }
  return where;
}

Registration ocl_icd(const Host& host) {
  Registration where{.folder = standard_folder};
  if (const auto* folder = variable(host, "OPENCL_VENDOR_PATH"); folder && !folder->empty()) {
    where = {.folder = *folder, .variable = "OPENCL_VENDOR_PATH"};
  }
  const auto* value = variable(host, "OCL_ICD_VENDORS");
  if (!value || value->empty()) return where;
  const auto status = host.files.status(*value);
  const bool folder = status.get() && status.get()->kind == FileStatus::Kind::folder;
  if (folder) return {.folder = *value, .variable = "OCL_ICD_VENDORS"};
  if (!value->ends_with(".icd") || value->size() < 5) return {.libraries = {*value}, .variable = "OCL_ICD_VENDORS"};
  if (value->find('/') == std::string::npos) {
    const std::string inside = where.folder + "/" + *value;
    if (host.files.status(inside).get()) return {.file = inside, .variable = "OCL_ICD_VENDORS"};
  }
  return {.file = *value, .variable = "OCL_ICD_VENDORS"};
}

}  // namespace

Registration registration(const Host& host, const std::string& kind) {
  // It is the driver itself and looks for no other; what is registered is installed all the same.
  if (kind == "vendor") return {.folder = standard_folder, .libraries = {loader_name}};
  return kind == "khronos" ? khronos(host) : ocl_icd(host);
}

}  // namespace envdoctor::opencl
