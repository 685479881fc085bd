#pragma once
// An error that a program prints as a heading and fields below it: "CUDA Error:", "File: a.cu", "Error code: 2".
#include <string>
#include <string_view>

namespace envdoctor {

class ErrorFields {
 public:
  // The next line. The result, usually empty, is the error in one line: "CUDA error 2".
  std::string line(std::string_view line);

 private:
  std::string api_{};     // of the heading
  int patience_ = 0;      // lines in which a field may still come
};

}  // namespace envdoctor
