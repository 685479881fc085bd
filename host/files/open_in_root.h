#pragma once
// Opening and reading under a root, in terms of system calls.
#include <sys/stat.h>

#include <functional>
#include <optional>
#include <string>

#include "evidence/reading.h"
#include "host/files/descriptor.h"

namespace envdoctor {

// Lexical: absolute, without empty parts, "." and "..".
std::string normal_path(const std::string& path);

// `path` with every link on it replaced; parts that aren't there are kept as they are. `link_at` answers where the link
// at a place points, or nothing. Sets errno and answers "" for a loop of links.
std::string follow_links(const std::string& path, bool last_too,
                         const std::function<std::optional<std::string>(const std::string& place)>& link_at);
// The same for the links inside a root.
std::string follow_links(int root, const std::string& path, bool last_too);

// Opens a path without links on it beneath the root; -1 and errno otherwise.
Descriptor open_beneath(int root, const std::string& path, int flags);

// The same for kernels before 5.6 and sandboxes that forbid openat2: part by part, following no link.
Descriptor open_part_by_part(int root, const std::string& path, int flags);

// Opens a folder beneath the root, following no link, and makes it and those above it where they aren't there.
Descriptor make_folder_beneath(int root, const std::string& path);

// "EACCES" for the present errno.
std::string errno_name();

// All that an open file holds, at most `limit` bytes. `path` is for the reason only.
Reading<std::string> read_all(const Descriptor& file, const std::string& path, std::size_t limit);

// What may be read without a risk to hang or to set something off: plain files, and the kernel's log device.
bool readable_kind(const struct stat& status);

}  // namespace envdoctor
