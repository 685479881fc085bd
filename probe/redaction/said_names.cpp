#include "probe/redaction/said_names.h"

#include <re2/re2.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "knowledge/lazy_regex.h"
#include "knowledge/wordings/known_words.h"
#include "probe/redaction/place.h"
#include "probe/redaction/public_hosts.h"
#include "probe/redaction/public_values.h"
#include "probe/text_piece.h"

namespace envdoctor {
namespace said_names {
namespace {

using View = std::string_view;

bool is_figure(char c) { return c >= '0' && c <= '9'; }
bool has_figure(View word) { return std::ranges::any_of(word, is_figure); }

// Words behind "on host": a part of a machine, an architecture, a system, a public server.
bool no_host(View /*before*/, View word) {
  static const LazyRegex common(
      R"((?i)(?:[cgtnx]?pu|numa|node|cuda|rank|socket|device|bus|mem|core|sm|gfx|nvlink|ipv|x86|i|amd|arm|armv|aarch|ppc|s390|ubuntu|debian|rhel|centos|win\w*|\w*pci|eth|en[opsx]\w?|wl\w{0,3}|nvme|mlx|tty\w*|drmn?|card|renderd|irq|python|py|cp|tls|http|sha|ssl|v|port|local\w*|step|epoch|thread|stage|worker|gpu-?id)[-_.:]?\d[\w.-]*)",
      RE2::Latin1);
  return (!has_figure(word) && word.find('-') == word.npos && word.find('.') == word.npos) ||
         knowledge::is_known_word(word) || RE2::FullMatch(piece_of(word), common) || is_public(word);
}
// The same where nothing but a host can stand: without a figure it is one as well, unless it is made of known words.
bool no_named_host(View before, View word) {
  if (has_figure(word)) return no_host(before, word);
  bool known = true;
  for (std::size_t begin = 0; begin <= word.size();) {
    const std::size_t end = std::min(word.find_first_of("-._", begin), word.size());
    known = known && knowledge::is_known_word(word.substr(begin, end - begin));
    begin = end + 1;
  }
  return known || is_public(word);
}
// The same where the form tells that it is one, whatever the word: only what many have stays.
bool of_many_hosts(View /*before*/, View word) {
  static const LazyRegex common(
      "(?i)(?:the|an?|server|host|daemon|database|display|peer|broker|endpoint|gateway|proxy|remote|address|null|none|"
      "unknown|localhost.*)",
      RE2::Latin1);
  return !tells_something(word) || RE2::FullMatch(piece_of(word), common) || is_public(word);
}
bool no_node_list(View /*before*/, View word) {
  static const LazyRegex common(
      "(?i)(?:[cgtnx]?pu|node|core|numa|mem|cuda|dev(?:ice)?|rank|socket|nvidia|card|array|shape|dim|"
      "tensor|\\w|args?|list|range|index|id|slot|port|eth|nvme|sd[a-z]?)s?[_-]?",
      RE2::Latin1);
  return RE2::FullMatch(piece_of(word), common);
}
bool system_account(View /*before*/, View word) {
  static const LazyRegex common(
      "root|nobody|daemon|systemd-.*|www-data|messagebus|ubuntu|admin|gdm|lightdm|slurm|nvidia-.*", RE2::Latin1);
  return RE2::FullMatch(piece_of(word), common);
}
bool of_system(View before, View word) { return !tells_something(word) || system_account(before, word); }
bool known_word(View before, View word) { return knowledge::is_known_word(word) || system_account(before, word); }
// Modules and programs own and open as well: "used by nvidia_uvm", "owned by python3".
bool no_word_of_owner(View before, View word) {
  const View letters = word.substr(0, word.find_first_of("0123456789.-"));
  return of_system(before, word) || word.find('_') != View::npos || knowledge::is_known_word(letters);
}

// Of a cluster's namespaces those that its operators make, or that known words name.
bool no_tenant(View before, View word) {
  return word.size() < 3 || is_namespace_of_clusters(word) ||
         std::ranges::none_of(word, [](char c) { return c >= 'a' && c <= 'z'; }) || no_named_host(before, word);
}

Place host(const char* pattern, std::vector<Needed> needed, Place::Stays stays = no_named_host) {
  return {LazyPattern(pattern, std::move(needed)), "<host>", stays};
}
Place user(const char* pattern, std::vector<Needed> needed, Place::Stays stays = known_word) {
  return {LazyPattern(pattern, std::move(needed)), "<user>", stays};
}

std::span<const Place> places() {
  static const Place all[] = {
      // Names at ends of connections: who is there, who was asked, who is refused.
      host(R"x((?i)\b(?:connecting|connected|authenticated) to ([a-z][\w.-]*) [\[(]{1,2}(?:<ip>|\d))x",
           {"connecting to", "connected to", "authenticated to"}, of_many_hosts),
      host(R"x((?m)^(?:tcp|udp)[46]? +\d+ +\d+ +(?:([a-z][\w.-]*):\S+ +\S|\S+ +([a-z][\w.-]*):))x", {"tcp", "udp"},
           of_many_hosts),
      host(
          R"x((?i)\bpermanently added ["'\[]?([a-z][\w.-]*)|^["']?([a-z][\w.-]*): warning: permanently added|\baddress(?:es)? of \(([a-z][\w.-]*),|, addr ([a-z][\w.-]*), port)x",
          {"permanently added", "of (", ", addr "}),
      host(R"x((?m)^(?:[^\s:]+: )?([A-Za-z][\w.-]*): ssh exited with)x", {"ssh exited"}),
      host(R"x((?m)^(?:\[\d[\d.]*\] +)?\[([A-Za-z][\w.-]*):\d{2,} *(?::\d+)?\] )x",
           {" :0]", " :1]", " :2]", " :3]", ":0] ", ":1] "}),
      user(R"x((?m)^(?:<ip>|[\d.]+|[\w.-]+) \S+ ([A-Za-z_][\w.@-]*) \[\d\d/[A-Z][a-z]{2}/\d{4}:)x",
           {"] \"get ", "] \"post ", "] \"put ", "] \"head ", "] \"delete ", "] \"patch "}, of_system),
      host(R"x((?m)^<ip> +([A-Za-z][\w-]*) +\S*@ +(?:linux|windows|macos|ios|android|freebsd))x", {"@  "},
           of_many_hosts),
      user(R"x((?i)(?:^|\s)([a-z_][\w.-]*)@ +(?:linux|windows|macos|ios|android|freebsd)\b)x", {"@  "}, of_system),
      host(R"x((?i)\bserver ([a-z][\w.-]*) (?:not responding|ok\b|has gone|is down|is not responding|timed out))x",
           {"server "}),
      host(R"x((?i)\bcifs\b[^\n]*? \\{2,}([a-z][\w.-]*))x", {"cifs"}, of_many_hosts),
      host(
          R"x((?m)(?:^|[$#;&|] )(?:ssh|mosh|ssh-copy-id|sftp)(?: -[pilLRDoFJWbcemQSw] ?\S+| -[a-zA-Z]+)* ([a-z][\w.-]*)(?:\s|$))x",
          {"ssh ", "mosh ", "ssh-copy-id ", "sftp "}),
      host(
          R"x((?i)\b(?:image|pull\w*|push\w*|registry)["']?(?: from)?[:=]? ?["']?([a-z0-9][\w-]*(?:\.[\w-]+)*\.[a-z]{2,})(?::\d+)?/)x",
          {"image", "pull", "push", "registry"}),
      host(
          R"x((?i)(?:^|[\s,(])(?:(?:host|agent)=["']?([a-z][\w.-]*)(?:["'\s,;)]|$)|(?:server|master|peer|leader|store|coordinator)=["']?([a-z][\w.-]*):\d{2,5}\b))x",
          {"host=", "agent=", "server=", "master=", "peer=", "leader=", "store=", "coordinator="}),
      // Namespaces, each of a customer or a team, as clusters' tools print them and are given them.
      {{R"x((?i)\bnamespaces?(?:\\?["']?\s*[:=]\s*\\?["']?| \\?["'])([a-z0-9][a-z0-9-]*[a-z0-9])(?:[\\"'\s,})]|$)|\bin (?:the )?namespace ([a-z][a-z0-9-]*)(?:[\s,;"')]|[.:]? |[.:]?$))x",
        {"namespace"}},
       "<name>",
       no_tenant},
      {{R"x(\b(?:(?:kubectl|helm|oc|k9s|stern|istioctl|velero|flux|argo)\b[^\n|;&]*? -n[ =]?|(?:kubens|kubectl ns|oc (?:project|new-project)) |\bproject ")([a-z0-9][a-z0-9-]*[a-z0-9])(?:["'\s,;)|]|$))x",
        {"kubectl", "helm ", "k9s", "stern ", "istioctl", "velero", "flux ", "argo ", "kubens ", "\noc ", " oc ",
         "project \""}},
       "<name>",
       no_tenant},
      {{R"x((?i)\bkubernetes\.io/metadata\.name["']?\s*[:=]\s*["']?([a-z0-9][a-z0-9-]*)|\bpods?=\\?"([a-z0-9][a-z0-9-]*)/[a-z0-9]|(?:^|[\s"'(=])(?:deployments?|statefulsets?|daemonsets?|replicasets?|jobs?|services?|pvc|persistentvolumeclaims?|secrets?|configmaps?)(?:/|=\\?")([a-z0-9][a-z0-9-]*)/[a-z0-9][a-z0-9-]*(?:[\\\s"',)]|$))x",
        {"metadata.name", "pod=\"", "deployment/", "statefulset/", "daemonset/", "replicaset/", "job/", "service/",
         "pvc/", "volumeclaim/", "secret/", "configmap/", "job=\"", "service=\"", "pod=\\\""}},
       "<name>",
       no_tenant},
      host(R"x(\b([a-z0-9][a-z0-9-]*\.[a-z0-9][a-z0-9-]*\.svc(?:\.cluster\.local)?)\b)x", {".svc"},
           [](View before, View word) {
             const View behind = word.substr(word.find('.') + 1);
             return no_tenant(before, behind.substr(0, behind.find('.')));
           }),
      // The organisation of who is logged in.
      {{R"x((?i)\b(?:log(?:ged|ging)? ?in|signed in|authenticated|switched|active|current)\b[^\n]{0,60}?\b(?:organi[sz]ation|org|workspace|team|tenant|entity)\b(?: (?:is|to))?:?\s+["']?([a-z][\w.-]*))x",
        {"organi", " org ", " org: ", "workspace", " team", "tenant", "entity"}},
       "<name>",
       no_tenant},
      // The network on a kernel's command line: the host's own name, and those of servers.
      host(
          R"x(\bip=(?:[^\s:]*:){4}([A-Za-z][\w.-]*):|\bip=([A-Za-z][\w.-]*):\d|\b(?:nfs|net)?root=(?:[a-z][a-z0-9]*:)?([A-Za-z][\w.-]*):/|\bds=nocloud[^\s]*;h=([A-Za-z][\w.-]*))x",
          {"ip=", "root=", "ds=nocloud"}),
      // Servers in configurations of schedulers and file systems, and where one of them is up.
      host(
          R"x(\b(?:[A-Z][A-Za-z]*Host(?:[Nn]ame)?|[a-z]+(?:[A-Z][a-z]+)*(?:Mgmtd|Meta|Storage|Admin|Db|Log|Mgmt|Mgr|Master|Primary|Head)Host|(?:Control|Backup)(?:Machine|Controller|Addr)|(?:Slurmctld|Dbd|Storage|Srun|Node)Addr|(?:CONDOR|COLLECTOR|PBS|QMASTER|CENTRAL_MANAGER)_(?:HOST|SERVER|PRIMARY))(?:\[\d+\])?\s*=\s*["']?([A-Za-z][\w.-]*)|(?m)^\$(?:pbsserver|clienthost|pbsclient) +([A-Za-z][\w.-]*)|\b[Ss]lurm(?:ctld|dbd)\((?:primary|backup\d*)\) at ([A-Za-z][\w.-]*) is|\b(?:controller \(|(?:at|to) )([A-Za-z][\w.-]*)(?:\)|:68(?:17|18|19)\b))x",
          {"host=",          "host =",      "host  ",      "host[",      "hostname=",   "hostname =",    "hostname  ",
           "controlmachine", "controller=", "controller ", "backupaddr", "controladdr", "slurmctldaddr", "dbdaddr",
           "storageaddr",    "srunaddr",    "nodeaddr",    "_host=",     "_host =",     "_server=",      "_server =",
           "_primary=",      "_primary =",  "$pbs",        "$client",    "slurmctld(",  "slurmdbd(",     "controller (",
           ":6817",          ":6818",       ":6819"}),
      {{R"x(\bClusterName\s*=\s*([A-Za-z][\w.-]*))x", {"clustername"}}, "<name>", no_named_host},
      // Docker's own name among what it says of itself, and its swarm's nodes.
      host(R"x((?m)^ {1,2}Name: ([A-Za-z][\w.-]*)\s*$|(?:^|\s)Name: ([A-Za-z][\w.-]*)\s+ID: \S)x",
           {"\n name: ", "\n  name: ", " id: "},
           [](View before, View word) {
             return no_named_host(before, word) ||
                    knowledge::is_known_word(word.substr(0, word.find_first_of("0123456789")));
           }),
      host(R"x(\bNode ([A-Za-z][\w.-]*)/(?:<ip>|\d{1,3}\.))x", {"gossip", "swarm", "memberlist", "suspect"}),
      // What somebody calls the key that he is logged in with.
      {{R"x((?i)\bactive token is:? [`"']([\w.-]+)|\btoken [`"']([\w.-]+)[`"'] has been saved)x",
        {"active token", "has been saved"}},
       "<name>"},
      // Who is logged in, and as whose member.
      user(
          R"x((?i)\blog(?:ged)? ?in(?:to)?\b[^\n]{0,60}?\b(?:as (?:user|account)|user(?:name)?|account|as)\b:?\s+["']?([a-z_][\w.-]*)|\b(?:authenticated|connected) as (?:user )?["']?([a-z_][\w.-]*)|(?m)^ *(?:whoami|user): +([a-z_][\w.-]*) +orgs:)x",
          {"logged in", "login ", "log in", "authenticated as", "connected as", " orgs:"}),
      user(R"x(\bwhoami(?:\(\))?["']?(?:: | -> | => | = ?)["']?([A-Za-z_][\w.\\-]*))x", {"whoami"}),
      user(R"x(\b(?:[A-Za-z_]*[a-z]User|[a-z]+(?:_[a-z]+)*_user)\s*=\s*["']?([A-Za-z_][\w.@-]*))x",
           {"user=", "user =", "user  "}),
      host(R"x((?i)\bserver (?:on|host|at) ["'`]([a-z][\w.-]*)["'`])x", {"server on", "server host", "server at"},
           of_many_hosts),
      // Labels.
      host(
          R"x((?i)\b(?:(?:local|remote|target|execution|source|client|peer) ?host|host name [ .]+|cs(?:dns)?(?:host)?name|machine ?name|agent ?name|logon ?server|rdzv[_-]?endpoint)["']?[ .]*[:=]\s*["'\\]*([a-z][\w.-]*))x",
          {"local host", "remote host", "target host", "execution host", "source host", "client host", "peer host",
           "host name .", "csname", "csdns", "cshost", "machine name", "machinename", "agent name", "agentname",
           "logon server", "logonserver", "rdzv_endpoint", "rdzv-endpoint"}),
      host(
          R"x((?i)\\*["'](?:host|instance|machine)\\*["']\s*:\s*\\*["']([a-z][\w.-]*)(?::\d+)?\\*["']|\b(?:exported_)?(?:instance|hostname|kubernetes_node|nodename)=\\?["']([a-z][\w.-]*)(?::\d+)?\\?["'])x",
          {"\"host", "'host", "\"instance", "'instance", "\"machine", "'machine", "instance=\"", "hostname=\"",
           "node=\"", "nodename=\"", "instance='", "hostname='"}),
      user(
          R"x((?i)\b(?:cs)?user ?name["']?[ .]*[:=]\s*["']?(?:[a-z][\w.-]*\\+)?([a-z_][\w.-]*)|[a-z]_username["']?\s*[:=]\s*["']?([a-z_][\w.@-]*))x",
          {"username", "user name"}, of_system),
      {{R"((?i)\b(?:windows)?registered ?(?:owner|organi[sz]ation)["']?\s*[:=]\s*["']?([^\n"',;<]{3,60}))",
        {"registered o", "registeredo"}},
       "<name>"},
      {{R"((?m)^\s*User Name: ([A-Z][^\n(<]+) \()", {"user name: "}}, "<name>"},
      {{R"(\b(?:by|for) user ([A-Z][\w'-]+(?: [A-Z][\w'-]+)+))", {" user "}}, "<name>"},
      {{R"((?i)\b(uid=[^,\s=]+,(?:ou|cn|dc|o)=[^\n"';<]*|(?:cn|ou|uid)=[^,\n=]+,(?:[^\n"';<]*,)?dc=[^\n"';<\s]*))",
        {"uid=", "dc="}},
       "<name>"},
      {{R"(\b([A-Z2-7]{4}(?::[A-Z2-7]{4}){11})\b)", {{':', 11}}}, "<serial>"},
      {{R"(\b(0000[0-9A-F]{4}-00[0-9A-F]{14})\b)", {"-00"}, 25, 16}, "<serial>"},
      {{R"((?i)\bproject["']?\s*[:=]\s*["']?([a-z][a-z-]{4,}-\d{5,})\b)",
        {"project =", "project=", "project:", "project\""}},
       "<name>"},
      {{R"x((?i)\b(?:logged|signed) in\b[^\n]{0,40}? as:? \S+ \(([a-z][\w.-]*)\))x", {"logged in", "signed in"}},
       "<name>",
       known_word},
      {{R"(\b(?i:message|mail|note|reply) from ([A-Z][\w'-]+ [A-Z][\w'-]+)\b)",
        {"message from", "mail from", "note from", "reply from"}},
       "<name>",
       [](View /*before*/, View word) { return knowledge::is_known_word(word.substr(0, word.find(' '))); }},
      // Licence servers' lists of who holds what.
      user(R"x((?m)^\W*([A-Za-z_][\w.-]*) +\S+ +\S+ \(v[\d.]+\) \()x",
           {"start mon", "start tue", "start wed", "start thu", "start fri", "start sat", "start sun"}, of_system),
      host(R"x((?m)^\W*\S+ +([A-Za-z][\w.-]*) +\S+ \(v[\d.]+\) \(|\(v[\d.]+\) \(([A-Za-z][\w.-]*)/\d+ )x",
           {"start mon", "start tue", "start wed", "start thu", "start fri", "start sat", "start sun"}, of_many_hosts),
      user(R"x((?i)\b(?:user|owner|login|run as|submitted by)\s?: ?([a-z_][a-z0-9_.-]*[a-z0-9])(?:[\s,;)]|$))x",
           {"user:", "user :", "owner:", "owner :", "login:", "login :", "run as:", "submitted by:"}, no_word_of_owner),
      user(
          R"x(\b(?:owned|opened|submitted|cancelled|canceled|reserved) by (?:user )?["']?([a-z_][a-z0-9_.-]*[a-z0-9])(?:["'\s,;)]|\.?$))x",
          {"owned by", "opened by", "submitted by", "cancelled by", "canceled by", "reserved by"}, no_word_of_owner),
      user(
          R"x((?:^|[\s\]])[Uu]ser ["']?([a-z_][\w.-]*)["']? (?:<ip>|\d+\.\d+\.|port \d|not found|denied|does|is not|has no|has exceeded|was not|cannot|exceeded|logged|unknown|added|removed))x",
          {"user "}),
      user(R"x((?i)['"‘]([a-z_][\w.-]*)['"’]?: no such user|\binvalid user: ['"‘]([a-z_][\w.-]*))x",
           {"no such user", "invalid user"}, of_system),
      user(R"x(\b(?:chown|su|install -o)(?: -[a-zA-Z]+| -)* ([a-z_][\w.-]*)(?::[\w.-]*)?(?: [/\w.~-]|$))x",
           {"chown ", "su -", "install -o"}),
      // Who may do what, and arguments of programs for accounts and queues.
      user(R"x(\b(?:[Pp]assword|[Pp]assphrase|information changed) for ([A-Za-z_][\w.-]*)(?:: ?$|\.$|:\s))x",
           {"password for", "passphrase for", "changed for"}, of_system),
      user(
          R"x((?m)^(?:sudo: +)?([a-z_][\w.-]*) (?:is not in the sudoers|is not allowed to (?:run|execute)|: (?:user NOT in|command not allowed|\d incorrect|TTY=|a password is)))x",
          {"sudoers", "not allowed to", " : user not", " : command not", " incorrect password",
           " : tty=", " : a password"},
          of_system),
      user(
          R"x(\b[Uu]ser (?:logged (?:in|out)|connected|authenticated|created|added|removed)[: ]+["']?([A-Za-z_][\w.@-]*))x",
          {"user "}),
      user(
          R"x(\b(?:usermod|useradd|adduser|userdel|gpasswd|chage|deluser|passwd|loginctl enable-linger|getent passwd)(?: (?:--?[\w-]+(?:[ =][\w,:/.-]*[,:/.][\w,:/.-]*)?|-[GgaA]+ [\w,]+))* ([a-z_][\w.-]*)(?: [a-z]+)?\s*(?:$|[;&|`)]))x",
          {"usermod", "useradd", "adduser", "userdel", "gpasswd", "chage", "deluser", "passwd ", "enable-linger"}),
      user(
          R"x(\b(?:squeue|sacct|scancel|sprio|sshare|sacctmgr|qstat|qdel|qselect|bjobs|bkill|pkill|killall|pgrep|ps|top|htop|lsof|crontab|sudo|runuser|quota|condor_q|machinectl)\b[^\n|;&]*? (?:-[a-zA-Z]*[uU] ?|--user[= ])([a-z_][\w.-]*))x",
          {"squeue",  "sacct",  "scancel", "sprio",   "sshare",   "qstat",     "qdel",  "qselect",
           "bjobs",   "bkill",  "pkill",   "killall", "pgrep",    "ps -",      "top -", "lsof -",
           "crontab", "sudo -", "runuser", "quota",   "condor_q", "machinectl"}),
      // Where somebody connects to, and what isn't found or doesn't answer.
      host(
          R"x((?i)\b(?:to|from|with|reach|resolve|contact|for|of|on|at)(?: the)?(?: remote)? (?:host(?:name)?(?: address)?|server(?: at)?|peer|broker|endpoint|machine)[: ] ?["'`\[(]([a-z][\w.-]*)["'`\])])x",
          {"host '",       "host \"",     "host `",      "host [",      "host (",     "hostname '", "hostname \"",
           "hostname `",   "hostname [",  "hostname (",  "address '",   "address \"", "address `",  "address [",
           "address (",    "server '",    "server \"",   "server `",    "server [",   "server (",   "server at '",
           "server at \"", "server at `", "server at [", "server at (", "peer '",     "peer \"",    "peer `",
           "peer [",       "peer (",      "broker '",    "broker \"",   "broker `",   "broker [",   "broker (",
           "endpoint '",   "endpoint \"", "endpoint `",  "endpoint [",  "endpoint (", "machine '",  "machine \"",
           "machine `",    "machine [",   "machine (",   "host: '",     "host: \""}),
      host(
          R"x((?i)\b(?:host(?:name)?[:=]? ?["'`\[]?|server at ["']|connect(?:ed|ing|ion)?(?: \w+){0,2} (?:to|with|from) ["'`\[(]?)([a-z][\w.-]*)(?:["'`\])]?,? port[ =:]|["'`\])]?[:<]\d{2,5}\b|["'] \())x",
          {" port", "server at", "connect"}, of_many_hosts),
      host(
          R"x((?i)\bconnection(?: \w+){0,2} (?:to|with|from) ["'`\[(]?([a-z][\w.-]*)["'`\])]?(?: timed| refused| closed| lost| failed| reset|[.!]?$))x",
          {"connection"}),
      host(R"x((?i)\bresolve host(?:name)?(?: address)?:? ["'`]?([a-z][\w.-]*))x", {"resolve host"}, of_many_hosts),
      host(
          R"x((?i)["'`]?\b([a-z][\w.-]*)["'`]?: (?:name or service not known|temporary failure in name res|no address associated|nodename nor servname|no route to host|host is down|host name lookup))x",
          {"name or service", "temporary failure in", "no address assoc", "nodename nor", "no route to", "host is down",
           "name lookup"}),
      host(R"((?m)(?:^PING|\bbytes from|\btraceroute to) ([A-Za-z][\w.-]*) \((?:<ip>|[\d.]+)\))",
           {"\nping ", "bytes from", "traceroute to"}, of_many_hosts),
      host(
          R"(\b(?:(?:[Bb]atch|[Ss]ubmit|[Ee]xec|[Rr]eq|[Aa]lloc|[Rr]emote|[Ll]ogin|[Mm]aster|[Hh]ead|[Tt]arget)_?(?:[Vv]?[Hh]ost|[Nn]ode)(?:[Ll]ist|[Nn]ame|Addr)?(?::Sid)?) ?[=:] ?["']?([A-Za-z][\w.-]*(?:\[[\d,-]+\])?))",
          {"batchhost",   "batchnode",   "batch_host",  "batch_node",  "submithost",  "submitnode", "submit_host",
           "submit_node", "exechost",    "execnode",    "exec_host",   "exec_node",   "reqhost",    "reqnode",
           "req_host",    "req_node",    "allochost",   "allocnode",   "alloc_host",  "alloc_node", "remotehost",
           "remotenode",  "remote_host", "remote_node", "loginhost",   "loginnode",   "login_host", "login_node",
           "masterhost",  "masternode",  "master_host", "master_node", "headhost",    "headnode",   "head_host",
           "head_node",   "targethost",  "targetnode",  "target_host", "target_node", "exec_vhost", "execvhost"}),
      user(
          R"((?:\b(?:User|Group)Id|\b(?:User|Owner|Submitter)Name|\be(?:user|group)|\bJob_Owner|\bRunAs\w*|\bSubmitter) ?[=:] ?["']?([A-Za-z_][\w.\\-]*))",
          {"userid", "groupid", "username", "ownername", "submittername", "euser", "egroup", "job_owner", "runas",
           "submitter"}),
      user(R"x(\(to [\w.-]+\) ([A-Za-z_][\w.-]*) on )x", {"(to "}, system_account),
      user(
          R"x(\b(?:of|by|for|from|as|invalid|unknown) user ["'(]?([a-z_][a-z0-9_.-]*[a-z0-9_])["')]? ?(?:killed|is|was|has|had|exceeded|on|from|at|in|with|cannot|could|failed|logged|does|doesn't|already|to|[:,;(])(?:\W|$))x",
          {" user "}),
      {{R"(\barn:aws[\w-]*:(?:iam|sts)::[\d<][^:\s]*:(?:role|user|group|policy|instance-profile|assumed-role|federated-user)/([\w+=,.@/-]+))",
        {"arn:aws"}},
       "<name>"},
      // Names of hosts and of people where schedulers, shells and tools put them.
      host(
          R"x((?i)\b(?:on|to|from|of|for|at|reach|contact|remote) (?:remote )?(?:host|node|machine|server|computer|hostname)[: ] ?["'`]?([a-z][a-z0-9.-]*[a-z0-9])(?:[\s,;:)"'`]|\.?$|\.\s)|\b(?:node|host) ([a-z][a-z0-9.-]*[a-z0-9]) (?:drained|down|not responding|unreachable|rebooted|unexpectedly|offline|unavailable|lost|died)\b|\bhost ?name ["'`]([a-z][a-z0-9.-]*)["'`])x",
          {" host", " node", " machine", " server", " computer", "\nnode ", "\nhost ", "hostname"}, no_host),
      host(R"((?:^|[\s=,"'(])([A-Za-z][\w.-]*)\[\d+[-,]\d[\d,-]*\])",
           {"nodes ", "nodelist", "salloc", "sinfo", "scontrol", "partition", "drain", "hosts", "alloc", "idle", "mix"},
           no_node_list),
      user(R"(\bUser <([\w.-]+)>)", {"user <"}, of_system),
      host(R"(\bNodes ([a-z][\w-]*\d+) are ready)", {"are ready"}, no_node_list),
      user(R"((?i)\bby user ["'(]?([a-z_][\w.-]*[\w-])(?:["')]|\.?\s*$))", {"by user"}),
      user(R"((?m)\b(?:for|by|as|from|of|invalid|unknown|usec=\d+) user ([a-z_][a-z0-9_.-]{2,}[a-z0-9_-])\.?$)",
           {" user "}),
      user(R"((?m)(?:^|\s)([a-z_][\w.-]*) +(?:pts/\d+|tty\d+) +\d{4}-\d\d-\d\d)", {"pts/", "tty"}, system_account),
      user(R"(\bAccount=([A-Za-z][\w.-]*) (?:QOS|WCKey|Partition)=)", {"account="}),
      user(R"(\b([A-Za-z_][\w.-]*)\((?:uid|euid|gid)=\d+\))", {"uid=", "gid="}, system_account),
  };
  return all;
}

// Lists of namespaces and of organisations.
std::span<const Place> lists() {
  static const Place all[] = {
      {{R"x((?i)\bnamespaces["']?\s*[:=]\s*\[?["']?([a-z0-9][a-z0-9-]*(?:["']?(?:, ?| +)["']?[a-z0-9][a-z0-9-]*)*))x",
        {"namespaces:", "namespaces=", "namespaces =", "namespaces\""}},
       "<name>",
       no_tenant},
      {{R"x(\borgs: +([\w.-]+(?:, ?[\w.-]+)*))x", {"orgs: "}}, "<name>", known_word}};
  return all;
}

// A bare name behind "on" with a figure in it and a part that no program prints: "on opal07", "on sky-gpu-3".
void withhold_behind_on(std::string& text) {
  constexpr View on = " on ";
  for (std::size_t at = text.find(on); at != std::string::npos; at = text.find(on, at + 1)) {
    const std::size_t begin = at + on.size();
    std::size_t end = begin;
    const auto continues = [](char c) { return (c >= 'a' && c <= 'z') || is_figure(c) || c == '-'; };
    while (end < text.size() && continues(text[end])) ++end;
    const View word = View(text).substr(begin, end - begin);
    if (word.empty() || is_figure(word[0]) || !has_figure(word) || no_host({}, word) ||
        (end < text.size() && View("/_([").find(text[end]) != View::npos) ||
        (end + 1 < text.size() && text[end] == ':' && text[end + 1] != ' '))
      continue;
    const bool joined = word.find('-') != View::npos;
    bool unknown = false;
    for (std::size_t part = 0, last = 0; part < word.size(); part = last + 1) {
      for (last = part; last < word.size() && word[last] >= 'a';) ++last;
      unknown =
          unknown || (last - part >= (joined ? 3U : 4U) && !knowledge::is_known_word(word.substr(part, last - part)));
    }
    if (unknown) text.replace(begin, word.size(), "<host>");
  }
}

}  // namespace
}  // namespace said_names

void withhold_said_names(std::string& text, const LowerText& low) {
  using namespace said_names;
  for (const Place& place : places()) withhold(text, low, place);
  for (const Place& place : lists()) withhold_each(text, low, place);
  if (low.has(" on ")) withhold_behind_on(text);
}

}  // namespace envdoctor
