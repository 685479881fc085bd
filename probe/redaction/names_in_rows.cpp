#include "probe/redaction/names_in_rows.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>

#include "knowledge/lazy_regex.h"
#include "knowledge/wordings/known_words.h"
#include "probe/redaction/place.h"
#include "probe/redaction/public_hosts.h"
#include "probe/redaction/public_values.h"
#include "probe/text_piece.h"

namespace envdoctor {
namespace names_in_rows {
namespace {

using View = std::string_view;

bool of_everybody(View /*before*/, View word) {
  static const LazyRegex system(
      "systemd.*|dbus|_\\w+|daemon|www-data|messagebus|syslog|gdm|lightdm|polkitd|rtkit|reboot|shutdown|runlevel|wtmp",
      RE2::Latin1);
  return !tells_something(word) || RE2::FullMatch(piece_of(word), system);
}
// Programs as well, where they may stand: python3.
bool known(View before, View word) {
  return of_everybody(before, word) || knowledge::is_known_word(word.substr(0, word.find_first_of("0123456789.")));
}
bool no_host(View before, View word) {
  return of_everybody(before, word) || knowledge::is_known_word(word) || is_public(word);
}

// Patterns in short: %u a user, %h a host, %j the number of a job of Slurm's, %p of PBS', and %s, %l, %f its state as
// Slurm, LSF and PBS write it.
std::string expanded(View pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      out += pattern[i];
      continue;
    }
    switch (pattern[++i]) {
      case 'u':
        out += R"(([A-Za-z_][\w.@\\+-]*))";
        break;
      case 'h':
        out += R"(([A-Za-z][\w.-]*(?:\[[\d,-]+\])?))";
        break;
      case 'j':
        out += R"((?m)^\W*\d+(?:_[\d\[\],%-]+|\+\d+)?(?:\.\w+)?)";
        break;
      case 'p':
        out += R"((?m)^\W*\d+(?:\[\d*\])?\.)";
        break;
      case 's':
        out += R"((?:COMPLETED|COMPLETI\w*|FAILED|CANCELLE\w*|RUNNING|PENDING|TIMEOUT|NODE_FAI\w*|OUT_OF_ME\w*)"
               R"(|PREEMPTED|REQUEUED|SUSPENDED|DEADLINE|BOOT_FAIL|CONFIGUR\w*))";
        break;
      case 'l':
        out += "(?:RUN|PEND|DONE|EXIT|[SUP]SUSP|UNKWN|ZOMBI|WAIT)";
        break;
      case 'f':
        out += R"([QRHEWSTBFCXM]\b)";
        break;
      default:
        out += std::string("%") + pattern[i];
    }
  }
  return out;
}

Place row(View pattern, std::vector<Needed> needed, Place::Stays stays = nullptr) {
  const bool host = pattern.find("%h") != View::npos;
  if (stays == nullptr) stays = host ? no_host : of_everybody;
  return {LazyPattern(expanded(pattern), std::move(needed)), host ? "<host>" : "<user>", stays};
}

// Rows that begin with the number of a job, a process or a session.
std::span<const Place> numbered_rows() {
  static const std::vector<Needed> states = {"completed", "completi",  "failed",   "cancelle",  "running",
                                             "pending",   "timeout",   "node_fai", "out_of_me", "preempted",
                                             "requeued",  "suspended", "deadline", "boot_fail", "configur"};
  static const std::vector<Needed> short_states = {" r ", " pd ", " cg ", " cd ", " ca ",  " cf ",
                                                   " f ", " to ", " s ",  " nf ", " oom ", " pr "};
  static const std::vector<Needed> lsf_states = {" run ", " pend ",  " done ",  " exit ",
                                                 "susp ", " unkwn ", " zombi ", " wait "};
  static const Place all[] = {
      // sacct: job, name, partition, account, CPUs, state; or job, user, state.
      row(R"x(%j +\S+ +(?:[\w,*-]+ +)?%u +\d+ +%s)x", states), row(R"x(%j +%u +%s)x", states, known),
      // squeue: job, partition, name, user, state, time, nodes, their names; its long form too.
      row(R"x(%j +[\w.,*-]+ +\S+ +%u +(?:R|PD|CG|CD|CA|CF|F|TO|S|NF|OOM|PR) +\d[\d:-]*(?: |$))x", short_states),
      row(R"x(%j +[\w.,*-]+ +\S+ +%u +%s +\d[\d:-]*(?: |$))x", states),
      row(R"x((?m) (?:R|CG) +\d[\d:-]+ +\d+ +%h\s*$)x", {" r ", " cg "}),
      row(R"x((?m) (?:RUNNING|COMPLETI\w*) +\d[\d:-]+(?: +[\d:-]+)? +\d+ +%h\s*$)x", {" running ", " completi"}),
      // PBS: job and server, name, user, time, state, queue; with -a the user comes first.
      row(R"x(%p[\w.-]* +\S+ +%u +(?:\d+:\d\d(?::\d\d)?|0|--) +%f)x", {":", " 0 ", " -- "}),
      row(R"x(%p[\w.-]* +%u +\S+ +\S+ +(?:\d+|--) +(?:\d+|--) +(?:\d+|--) +\S+ +\S+ +%f)x", {":", " -- "}),
      row(R"x(%p%h[*]? +\S+ +\S+ +(?:\d+:\d\d(?::\d\d)?|0|--) +%f)x", {":", " 0 ", " -- "}),
      row(R"x(%p%h[*]? +\S+ +\S+ +\S+ +(?:\d+|--) +(?:\d+|--) +(?:\d+|--) +\S+ +\S+ +%f)x", {":", " -- "}),
      // Grid Engine: job, priority, name, user, state, date. LSF: job, user, state, queue, from where, to where.
      row(R"x((?m)^\W*\d+ +\d\.\d{5} +\S+ +%u +[A-Za-z]{1,4} +\d\d/\d\d/\d{4} )x", {"/20"}),
      row(R"x((?m)^\W*\d+ +%u +%l +\S+ +\S+)x", lsf_states), row(R"x((?m)^\W*\d+ +\S+ +%l +\S+ +%h )x", lsf_states),
      row(R"x((?m)^\W*\d+ +\S+ +%l +\S+ +\S+ +(?:\d+\*)?%h )x", lsf_states),
      // HTCondor: job, owner, date.
      row(R"x((?m)^\W*\d+\.\d+ +%u +\d+/\d+ +\d+:\d\d +\d+\+)x", {"+"}),
      // Moab: job, user, state.
      row(R"x((?m)^\W*\d+ +%u +(?:Running|Idle|Hold|Deferred|BatchHold|UserHold) +\d+ +[\d:]+ )x",
          {" running ", " idle ", "hold ", " deferred "}),
      // top, tables of processes on GPUs, loginctl.
      row(R"x((?m)^\W*\d+ +%u +(?:-?\d+|rt) +-?\d+ +[\d.]+[gmt]? +[\d.]+[gmt]? +[\d.]+[gmt]? +[RSDZTI] )x",
          {" s ", " r ", " d ", " z ", " t ", " i "}),
      row(R"x((?m)^\W*\d+ +\d+ +(?:[CGNM][+A-Z/]*) +%u +[\d.]+ ?[KMG]iB)x", {"mib", "gib", "kib"}, known),
      row(R"x((?m)^\W*\d+ +%u +\d+ +(?:Compute|Graphic)\w* +\d+%)x", {" compute", " graphic"}),
      row(R"x((?m)^\W*c?\d+ +[1-9]\d{3,} +%u +(?:seat\d|pts/\d+|tty\d|- +)(?:\s|$))x",
          {" seat", "pts/", " tty", " - "})};
  return all;
}

// Rows of words, whose columns have more than a space between.
std::span<const Place> wide_rows() {
  static const Place all[] = {
      // sinfo by partition, by node and by reason.
      row(R"x((?m)\b(?:up|down|inact|drain) +\S+ +\d+ +[a-z]+[*~#$@+^-]? +%h(?:,\S*)?\s*$)x",
          {" up ", " down ", " inact ", " drain "}),
      row(R"x((?m)^%h +\d+ +\S+ +(?:idle|mixed|mix|allocated|alloc|drain\w*|drng|down|reserved|resv|maint|unknown|fail|planned|comp)[*~#$@+^-]?(?:\s|$))x",
          {" idle", " mix", " alloc", " drain", " drng", " down ", " down*", " resv", " reserved ", " maint",
           " unknown ", " fail ", " planned", " comp "}),
      row(R"x(%u +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d +\S+\s*$)x", {" 202"}, known),
      row(R"x( \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d +%h\s*$)x", {" 202"}),
      // Nodes of Docker's swarm.
      row(R"x((?m)^[a-z0-9]{25} +(?:\* +)?%h +(?:Ready|Down|Unknown|Disconnected) +(?:Active|Pause|Drain)\b)x",
          {" active ", " pause ", " drain "}),
      // Nodes of PBS, Grid Engine and LSF, HTCondor's batches.
      row(R"x((?m)^%h +(?:free|job-busy|job-exclusive|offline|down|state-unknown\S*|<various>) +\d+ +\d+)x",
          {" free ", " job-", " offline ", " down", " state-", "various"}),
      row(R"x((?m)^%h +(?:lx|linux|sol|darwin)[\w-]*(?:64|86)\w* +\d+ )x", {" lx", " linux"}),
      row(R"x((?m)^%h +(?:ok|closed\w*|unavail|unreach|unlicensed) +(?:-|\d+) +(?:-|\d+) +\d+)x",
          {" ok ", " closed", " unavail", " unreach", " unlicensed"}),
      row(R"x((?m)^%u +(?:ID: *\d+|\S+) +\d+/\d+ +\d+:\d\d +[\d_]+ +[\d_]+)x", {" _ "}),
      // lsof, fuser, ps -ef, and what a frame stands around.
      row(R"x((?m)^\S+ +\d+(?: +\d+(?: \S+)?)? +%u +(?:cwd|rtd|txt|mem|DEL|NOFD|\d+[rwu]?\w?) +(?:REG|CHR|DIR|FIFO|IPv[46]|unix|sock|a_inode|BLK|LINK|DEL|unknown)\b)x",
          {" reg ", " chr ", " dir ", " fifo ", " ipv", " unix ", " sock ", " a_inode", " blk ", " link ", " del ",
           " unknown"}),
      row(R"x((?m)(?:^|: +|\s{2,})%u +(?:\d+|kernel) +[F.][rc.][c.r][e.][m.]? +\S)x",
          {" f...", " ....m", " ..c..", " ...e.", " .rce", " frce", " f.c", " f..e"}),
      row(R"x((?m)^%u +\d+ +\d+ +\d+ +(?:\d\d:\d\d|[A-Z][a-z]{2} ?\d\d|\d{4}) +(?:\?|pts/\d+|tty\S*) +\d+[:-]\d\d)x",
          {" ? ", "pts/", " tty"}),
      row(R"x([|│] *\d+ +\d+ +(?:[CGNM][+A-Z/]*) +%u +[\d.]+ ?[KMG]iB)x", {"mib", "gib", "kib"}, known),
      // df, kubectl's pods with their nodes.
      row(R"x((?m)^\W*%h:/[\w./+-]* +\d[\d.]*[KMGTP]? +\d)x", {":/"}),
      row(R"x((?m)^\W*//%h/[\w.$ -]+ +\d[\d.]*[KMGTP]? +\d)x", {"//"}),
      row(R"x((?m)^(?:\S+ +)?\S+ +\d+/\d+ +[A-Z]\w+ +\d+(?: \([^)]*\))? +\d+\w+ +(?:\d+\.\d+\.\d+\.\d+|<none>|<ip>) +%h(?:\s|$))x",
          {" running ", " pending ", "crashloop", " error ", " completed ", "imagepull", "creating ", " terminating ",
           " evicted "})};
  return all;
}

// Rows with a word of their own.
std::span<const Place> other_rows() {
  static const Place all[] = {
      row(R"x(\b([a-z_][\w.-]*)(?::[\w./-]+)?(?:/\d+)?\(\d+M\))x", {"m)"}),  // gpustat's processes
      // who, w and last, and where they came from.
      row(R"x((?m)^\W*%u +(?:pts/\d+|tty[\w/]*\d) +\S)x", {" pts/", " tty"}),
      row(R"x((?m)^\W*%u +(?::\d+|console|sshd?) +\S)x", {" :0 ", " :1 ", " console ", " ssh ", " sshd "}, known),
      row(R"x((?m)^\S+ +(?:pts/\d+|tty[\w/]*\d) +%h +(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) |\d\d:\d\d |\d\d?[A-Z][a-z]{2}\d\d ))x",
          {" pts/", " tty"}),
      row(R"x((?m)^\S+ +(?:pts/\d+|tty[\w/]*\d) +\d{4}-\d\d-\d\d \d\d:\d\d(?: .*)? \(%h\))x", {" pts/", " tty"}),
      // Accounts: passwd, group, groups, getfacl, stat.
      {{R"x((?m)^[^\s:]+:[x*!]?:[1-9]\d{3,}:\d+:([^:\n]*[A-Za-z][^:\n]*):)x", {":x:", ":*:", ":!:"}}, "<name>"},
      row(R"x((?m)^[\w-]+:[x*!]?:\d+:(?:[\w.-]+,|<user>,)*%u(?:,|\s*$))x", {":x:", ":*:", ":!:"}),
      row(R"x((?m)^%u : (?:[\w.<>-]+ )*(?:video|render|docker|sudo|wheel|users|adm)\b)x",
          {" video", " render ", " docker ", " sudo ", " wheel "}),
      row(R"x((?m)^<user> : %u\b)x", {"<user> : "}),
      row(R"x((?m)^(?:# (?:owner|group): |(?:default:)?(?:user|group):)%u(?::[r-][w-][x-]|\s*$))x",
          {"# owner", "# group", "user:", "group:"}),
      row(R"x(\b[UG]id: \( *\d+/ *%u\))x", {"id: ("}),
      // mount and fstab, Lustre's servers.
      row(R"x((?m)(?:^|\s)%h:/[\w./+-]*(?: +on)? +/\S+ +(?:type )?(?:nfs|ceph|fuse|glusterfs|autofs|lustre|beegfs))x",
          {" nfs", " ceph", " fuse", " gluster", " autofs", " lustre", " beegfs"}),
      row(R"x((?m)(?:^|[\s"'=])//%h/[\w.$ -]+(?: +on)? +/\S+ +(?:type )?(?:cifs|smb))x", {" cifs", " smb"}),
      row(R"x(\b(?:u?mount\S*|mounting|unmounting|showmount)[: ][^\n]*?\b%h:/[\w.])x", {"mount"}),
      row(R"x((?:^|[\s:=])%h@(?:tcp|o2ib)\d*(?::|\b))x", {"@tcp", "@o2ib"}),
      // Ansible's hosts and their recap; /etc/hosts.
      row(R"x((?m)^\W*(?:ok|changed|fatal|failed|skipping|unreachable|rescued|ignored|included): \[%h(?: -> [^\]]*)?\])x",
          {"ok: [", "changed: [", "fatal: [", "failed: [", "skipping: [", "unreachable: [", "rescued: [",
           "ignored: ["}),
      row(R"x((?m)^%h \| (?:CHANGED|SUCCESS|UNREACHABLE|FAILED))x",
          {" | changed", " | success", " | unreach", " | failed"}),
      row(R"x((?m)^%h +slots=\d)x", {" slots="}),
      row(R"x((?m)^%h +: ok=\d+ +changed=\d+)x", {": ok="}),
      row(R"x((?m)^\s*(?:<ip>|127\.0\.1\.1)\s+%h(?:\s+[\w.<>-]+)*\s*$)x", {"<ip>", "127.0.1.1"})};
  return all;
}

// Whether its first word is a number as queues and lists have it, behind marks of a quotation or a frame: neither a
// date nor a time.
bool begins_with_number(View text) {
  const auto first = std::ranges::find_if(text, [](unsigned char c) { return std::isalnum(c) != 0; });
  const View word = text.substr(static_cast<std::size_t>(first - text.begin()));
  const View number = word.substr(0, std::min(word.find(' '), word.size()));
  const bool listed = number.find('[') != View::npos;
  return !number.empty() && (std::isdigit(static_cast<unsigned char>(number[0])) != 0 || number[0] == 'c') &&
         number.find_first_of(":/()=") == View::npos && (listed || number.find_first_of("-]") == View::npos);
}

}  // namespace
}  // namespace names_in_rows

void withhold_names_in_rows(std::string& text, const LowerText& low) {
  using namespace names_in_rows;
  constexpr std::size_t least_columns = 4;
  const bool lines = text.find('\n') != std::string::npos;
  if (low.count(' ') + 1 >= least_columns) {
    if (lines || begins_with_number(text))
      for (const Place& one : numbered_rows()) withhold(text, low, one);
    if (lines || low.has("  "))
      for (const Place& one : wide_rows()) withhold(text, low, one);
  }
  for (const Place& one : other_rows()) withhold(text, low, one);
}

}  // namespace envdoctor
