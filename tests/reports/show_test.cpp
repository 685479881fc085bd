#include <gtest/gtest.h>

#include "reports/reports.h"

namespace envdoctor::show_test {
namespace {

SharedLibrary library(std::string soname, std::string path) {
  return {.soname = std::move(soname), .found = true, .path = std::move(path), .version = "1.2", .origin = "ldcache"};
}

TEST(Show, SaysOnceWhichFolderLibrariesComeFrom) {
  Snapshot host;
  host.libraries = std::vector<SharedLibrary>{library("liba.so.1", "/usr/lib/liba.so.1"),
                                              library("libb.so.1", "/usr/lib/libb.so.1"),
                                              {.soname = "libc.so.1", .found = false},
                                              {.soname = "libd.so.1", .found = false}};
  EXPECT_EQ(render_show(host, "libraries"),
            "Libraries\n"
            "  libraries     by ldcache, in /usr/lib: liba.so.1 1.2, libb.so.1 1.2\n"
            "  not found     libc.so.1, libd.so.1\n");
}

TEST(Show, KeepsALibraryThatIsShadowedOrAStubApart) {
  Snapshot host;
  SharedLibrary shadowed = library("liba.so.1", "/usr/lib/liba.so.1"), stub = library("libb.so.1", "/x/libb.so.1");
  shadowed.shadowed_by = "/opt/liba.so.1";
  stub.stub = true;
  host.libraries = std::vector<SharedLibrary>{shadowed, stub};
  EXPECT_EQ(render_show(host, "libraries"),
            "Libraries\n"
            "  library       liba.so.1 1.2, /usr/lib/liba.so.1, by ldcache, shadowed by\n"
            "                /opt/liba.so.1\n"
            "  library       libb.so.1 1.2, /x/libb.so.1, stub, by ldcache\n");
}

}  // namespace
}  // namespace envdoctor::show_test
