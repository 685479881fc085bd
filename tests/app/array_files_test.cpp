// Array files that other readers read differently, or not at all.
#include <gmock/gmock.h>
#include <minizip/zip.h>

#include <cstring>

#include "tests/support/process.h"

namespace envdoctor::array_files_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string npy(std::string header, float first = 0) {
  header.resize(117, ' ');
  header += '\n';
  std::string numbers(4 * sizeof(float), '\0');
  std::memcpy(numbers.data(), &first, sizeof first);
  return std::string("\x93NUMPY\1\0\x76\0", 10) + header + numbers;
}

const char* const four = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }";

// Members as they come, stored.
std::string npz(const std::string& file, const std::vector<std::pair<std::string, std::string>>& members) {
  const std::string path = test_folder() + "/" + file;
  std::filesystem::remove(path);
  zipFile zip = zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
  for (const auto& [name, content] : members) {
    zipOpenNewFileInZip(zip, name.c_str(), nullptr, nullptr, 0, nullptr, 0, nullptr, 0, 0);
    zipWriteInFileInZip(zip, content.data(), static_cast<unsigned>(content.size()));
    zipCloseFileInZip(zip);
  }
  zipClose(zip, nullptr);
  return path;
}

void expect_refused(const std::string& file, const std::string& why) {
  const Ran ran = run_envdoctor("compare " + file + " " + file);
  EXPECT_EQ(ran.status, 2) << why;
  EXPECT_THAT(ran.err, AllOf(HasSubstr(file), HasSubstr(why)));
}

TEST(ArrayFile, WhoseHeaderLiesIsRefused) {
  const auto refused = [](const char* header, const char* why) {
    SCOPED_TRACE(header);
    expect_refused(write_file_here("a.npy", npy(header)), why);
  };
  refused("", "no Python dictionary");
  refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,), }",
          "its shape needs 4398046511104 bytes");
  refused("{'descr': '<f4', 'fortran_order': False, 'shape': (4,), 'shape': (2,), }", "states one thing twice");
  refused("{'descr': '<f4', 'fortran_order': False, 'shape': (4,), 'more': 1}", "states more than");
  EXPECT_EQ(run_envdoctor("compare " + write_file_here("a.npy", npy(four)) + " " + write_file_here("b.npy", npy(four)))
                .status,
            0);
}

TEST(Archive, OfTwoArraysOfOneNameIsRefused) {
  expect_refused(npz("a.npz", {{"w.npy", npy(four)}, {"v.npy", npy(four)}, {"w.npy", npy(four, 1)}}),
                 "two arrays named w.npy");
}

TEST(Archive, WhoseChecksumIsWrongIsRefusedWhateverItHolds) {
  const std::string path = npz("a.npz", {{"w.npy", npy(four)}}), other = npz("b.npz", {{"w.npy", npy(four)}});
  std::string content = read_whole(path);
  const std::size_t shape = content.find("(4,)");
  for (const std::size_t at : {shape + 1, content.find("PK\1\2") - 1}) {  // another shape that fits, another number
    std::string changed = content;
    changed[at] = changed[at] == '4' ? '2' : '\1';
    std::ofstream(path, std::ios::binary) << changed;
    const Ran ran = run_envdoctor("compare " + path + " " + other);
    EXPECT_EQ(ran.status, 2);
    EXPECT_THAT(ran.err, HasSubstr("a.npz:w: the checksum is wrong"));
  }
}

TEST(Archive, ThatIsEncryptedOrPackedOtherwiseIsRefused) {
  const std::string path = npz("a.npz", {{"w.npy", npy(four)}});
  const std::string content = read_whole(path);
  const std::size_t entry = content.find("PK\1\2");
  for (const auto& [at, value, why] :
       {std::tuple(8, '\1', "is encrypted"), std::tuple(10, '\x0c', "is packed by method 12")}) {
    std::string changed = content;
    changed[entry + static_cast<std::size_t>(at)] = value;
    std::ofstream(path, std::ios::binary) << changed;
    expect_refused(path, why);
  }
}

TEST(Archive, OfThousandsOfArraysIsComparedInSeconds) {
  std::vector<std::pair<std::string, std::string>> members;
  for (int i = 0; i < 3000; ++i) members.emplace_back("a" + std::to_string(i) + ".npy", npy(four));
  const std::string path = npz("a.npz", members);
  EXPECT_EQ(run_envdoctor("compare " + path + " " + path, "timeout 10").status, 0);
}

}  // namespace
}  // namespace envdoctor::array_files_test
