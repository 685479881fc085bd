#pragma once
// Words that say that a revision or a digest follows: "commit ", "HEAD is now at ", "sha256:".
#include <string>

namespace envdoctor {

// An expression for the end of the text before a word; `more` are alternatives that its caller takes for such words too,
// each with a bar before it.
inline std::string ends_before_revision(const std::string& more) {
  return R"((?i)(?:commit|revision|rev|sha\d*|digest|git(?:[ _-]?(?:version|sha|ref|rev))?|git[\w ]{0,20}: [-+]?)"
         R"(|hash(?:es)?|checksum|md5(?:sum)?|sha\d+sum|etag|snapshots?|blobs?|build(?: ?id)?(?:\[\w+\])?|head|tree)"
         R"(|parent|merge|checked out|(?:containerd|runc|docker)[\w.]*[: ]+v?\d[\w.~+-]*|@)" +
         more + R"()["']?(?:\s+(?:is|was|now|detached|at|to|from|of)){0,3}\s*[:=( ]?\s*["'`]?$)";
}

}  // namespace envdoctor
