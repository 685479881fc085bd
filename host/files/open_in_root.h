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

// `path` with every link on it replaced; parts that don't exist are kept as they are. `link_at` answers where the link
// at a place points, or nothing. Sets errno and returns "" for a loop of links.
std::string follow_links(const std::string& path, bool last_too,
                         const std::function<std::optional<std::string>(const std::string& place)>& link_at);
// The same for the links inside a root.
std::string follow_links(int root, const std::string& path, bool last_too);

// Opens a path without links on it beneath the root; returns -1 and sets errno on failure.
Descriptor open_beneath(int root, const std::string& path, int flags);

// The same for kernels before 5.6 and sandboxes that forbid openat2: component by component, following no link.
Descriptor open_part_by_part(int root, const std::string& path, int flags);

// Opens a folder beneath the root, following no link, and creates it and its parents where they don't exist.
Descriptor make_folder_beneath(int root, const std::string& path);

// "EACCES" for the current errno.
std::string errno_name();

// The content of an open file, at most `limit` bytes. `path` is for the reason only.
Reading<std::string> read_all(const Descriptor& file, const std::string& path, std::size_t limit);

// Whether reading can neither block nor have side effects: plain files, and the kernel's log device.
bool readable_kind(const struct stat& status);

}  // namespace envdoctor
