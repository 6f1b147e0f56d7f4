#include "tests/simulation/sim_disk.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace echo::simulation {

using parallel::DiskFile;
using parallel::DiskPage;
using parallel::EntryKind;
using parallel::Opened;
using std::filesystem::path;

namespace {

std::string folder_of(const std::string& name) { return name.substr(0, name.rfind('/')); }

const std::string& bytes_of(const Inode& inode) { return inode.page ? *inode.page : inode.data; }
std::string& bytes_of(Inode& inode) { return inode.page ? *inode.page : inode.data; }

}  // namespace

class SeenFile : public DiskFile {
 public:
  SeenFile(SimDisk& disk, Process& process, std::string name, std::shared_ptr<Inode> inode)
      : disk_(disk), process_(process), name_(std::move(name)), inode_(std::move(inode)) {}

  int append(std::string_view bytes) override {
    // In pieces: a process may die, and a disk be full, in the middle.
    Chance& chance = disk_.world_.chance;
    while (true) {
      if (const int error = disk_.begin(process_, SimDisk::Act::needs_space, name_); error != 0) {
        if (error == ENOSPC && !bytes.empty())  // a part still fits
          bytes_of(*inode_).append(
              bytes.substr(0, static_cast<std::size_t>(chance.below(std::ssize(bytes)))));
        return error;
      }
      const std::size_t count = bytes.size() > 1 && chance.one_in(8)
                                    ? static_cast<std::size_t>(chance.between(1, std::ssize(bytes) - 1))
                                    : bytes.size();
      bytes_of(*inode_).append(bytes.substr(0, count));
      inode_->writer = process_.host;
      bytes.remove_prefix(count);
      if (bytes.empty()) return 0;
    }
  }
  int overwrite(std::int64_t offset, std::string_view bytes) override {
    if (const int error = disk_.begin(process_, SimDisk::Act::changes, name_); error != 0) return error;
    std::string& data = bytes_of(*inode_);
    const auto start = static_cast<std::size_t>(offset);
    if (data.size() < start + bytes.size()) data.resize(start + bytes.size());
    data.replace(start, bytes.size(), bytes);
    inode_->writer = process_.host;
    return 0;
  }
  int sync() override {
    if (const int error = disk_.begin(process_, SimDisk::Act::reads, name_); error != 0) return error;
    inode_->durable = bytes_of(*inode_);
    return 0;
  }
  int close() override { return disk_.begin(process_, SimDisk::Act::reads, name_); }
  std::int64_t read(std::int64_t offset, std::span<char> out) override {
    if (const int error = disk_.begin(process_, SimDisk::Act::reads, name_); error != 0) return -error;
    const std::string& data = bytes_of(*inode_);
    const std::size_t start = std::min(data.size(), static_cast<std::size_t>(offset));
    const std::size_t count = std::min(out.size(), data.size() - start);
    std::memcpy(out.data(), data.data() + start, count);
    return static_cast<std::int64_t>(count);
  }
  std::int64_t size() override { return std::ssize(bytes_of(*inode_)); }

 private:
  SimDisk& disk_;
  Process& process_;
  std::string name_;
  std::shared_ptr<Inode> inode_;
};

class SeenPage : public DiskPage {
 public:
  explicit SeenPage(std::shared_ptr<std::string> page) : page_(std::move(page)) {}
  std::byte* bytes() override { return reinterpret_cast<std::byte*>(page_->data()); }

 private:
  std::shared_ptr<std::string> page_;
};

class SeenDisk : public parallel::Disk {
 public:
  SeenDisk(SimDisk& disk, Process& process) : disk_(disk), process_(process) {}

  Opened<DiskFile> open(const path& name, Use use) override {
    const std::string text = known_as(name);
    if (const int error =
            disk_.begin(process_, use == Use::create ? SimDisk::Act::needs_space : SimDisk::Act::reads, text);
        error != 0)
      return {nullptr, error};
    if (use == Use::read && own_lock_ && text.ends_with(".lock") && disk_.hides_loss_of_lock)
      return {std::make_unique<SeenFile>(disk_, process_, text, own_lock_)};
    const auto found = disk_.names_.find(text);
    const bool is_there = found != disk_.names_.end();
    if (use == Use::create) {
      if (is_there && !(disk_.shares_temporaries && is_temporary(text))) return {nullptr, EEXIST};
      if (!disk_.folders_.contains(folder_of(text))) return {nullptr, ENOENT};
      if (is_there)
        found->second->data.clear();
      else
        disk_.set(text, std::make_shared<Inode>());
      disk_.names_[text]->maker = process_.place.pid;
      if (is_temporary(text)) disk_.assembler = process_.place.pid;
    } else if (!is_there) {
      return {nullptr, ENOENT};
    }
    const auto& inode = disk_.names_.at(text);
    if (inode->is_link) return {nullptr, ELOOP};
    disk_.world_.tell(process_.name() + (use == Use::create ? " makes " : " opens ") + text);
    return {std::make_unique<SeenFile>(disk_, process_, text, inode)};
  }
  Opened<DiskPage> map(const path& name, std::string_view bytes) override {
    const std::string& text = name.native();
    if (const int error = disk_.begin(process_, SimDisk::Act::needs_space, text); error != 0)
      return {nullptr, error};
    if (disk_.names_.contains(text)) return {nullptr, EEXIST};
    if (!disk_.folders_.contains(folder_of(text))) return {nullptr, ENOENT};
    auto inode = std::make_shared<Inode>();
    inode->page = std::make_shared<std::string>(bytes);
    inode->maker = process_.place.pid;
    inode->writer = process_.host;
    disk_.set(text, inode);
    return {std::make_unique<SeenPage>(inode->page)};
  }
  int link(const path& from, const path& to) override {
    if (const int error = disk_.begin(process_, SimDisk::Act::needs_space, to); error != 0) return error;
    const auto found = disk_.names_.find(from.native());
    if (found == disk_.names_.end()) return ENOENT;
    if (disk_.names_.contains(to.native())) return EEXIST;
    disk_.world_.tell(process_.name() + " links " + from.native() + " to " + to.native());
    disk_.set(to.native(), found->second);
    if (to.native().ends_with(".lock") && !from.native().ends_with(".stale")) {
      own_lock_ = std::make_shared<Inode>(*found->second);
      disk_.on_lock(process_);
    }
    return 0;
  }
  int rename(const path& from, const path& to) override {
    if (const int error = disk_.begin(process_, SimDisk::Act::changes, to); error != 0) return error;
    const std::string source = known_as(from);
    const auto found = disk_.names_.find(source);
    if (found == disk_.names_.end()) return ENOENT;
    if (disk_.keeps_damaged && to.native().ends_with(".aside")) return EACCES;
    disk_.world_.tell(process_.name() + " renames " + source + " to " + to.native());
    disk_.set(to.native(), found->second, source);
    disk_.on_rename(process_, to.native());
    return 0;
  }
  int remove(const path& name) override {
    if (const int error = disk_.begin(process_, SimDisk::Act::changes, name); error != 0) return error;
    const std::string text = known_as(name);
    const auto found = disk_.names_.find(text);
    if (found == disk_.names_.end()) return ENOENT;
    if (disk_.hides_loss_of_lock && is_temporary(text) && found->second->maker != process_.place.pid)
      return 0;
    disk_.world_.tell(process_.name() + " removes " + text);
    disk_.set(text, nullptr);
    disk_.on_remove(process_, text);
    return 0;
  }
  int make_folders(const path& name) override {
    if (const int error = disk_.begin(process_, SimDisk::Act::needs_space, name); error != 0) return error;
    disk_.folders_[name.native()] = true;
    return 0;
  }
  int remove_folder(const path& name) override {
    if (const int error = disk_.begin(process_, SimDisk::Act::changes, name); error != 0) return error;
    const auto first = disk_.names_.lower_bound(name.native() + "/");
    if (first != disk_.names_.end() && first->first.starts_with(name.native() + "/")) return ENOTEMPTY;
    return disk_.folders_.erase(name.native()) != 0 ? 0 : ENOENT;
  }
  int sync(const path& name) override {
    if (const int error = disk_.begin(process_, SimDisk::Act::reads, name); error != 0) return error;
    if (const auto found = disk_.names_.find(known_as(name)); found != disk_.names_.end()) {
      found->second->durable = bytes_of(*found->second);
      return 0;
    }
    std::erase_if(disk_.changes_, [&](const auto& change) {
      if (folder_of(change.name) != name.native()) return false;
      if (!change.also_removed.empty()) disk_.durable_names_.erase(change.also_removed);
      if (change.to)
        disk_.durable_names_[change.name] = change.to;
      else
        disk_.durable_names_.erase(change.name);
      return true;
    });
    return 0;
  }
  EntryKind kind(const path& name) override {
    if (disk_.begin(process_, SimDisk::Act::reads, name) != 0) return EntryKind::other;
    if (disk_.folders_.contains(name.native())) return EntryKind::folder;
    const auto found = disk_.names_.find(name.native());
    if (found == disk_.names_.end()) return EntryKind::absent;
    return found->second->is_link ? EntryKind::other : EntryKind::file;
  }
  Opened<std::vector<std::string>> files(const path& folder) override {
    auto names = std::make_unique<std::vector<std::string>>();
    if (const int error = disk_.begin(process_, SimDisk::Act::reads, folder); error != 0)
      return {nullptr, error};
    const std::string start = folder.native() + "/";
    for (auto i = disk_.names_.lower_bound(start); i != disk_.names_.end() && i->first.starts_with(start);
         ++i)
      if (i->first.find('/', start.size()) == std::string::npos && !i->second->is_link)
        names->push_back(i->first.substr(start.size()));
    return {std::move(names)};
  }

 private:
  static bool is_temporary(const std::string& name) { return name.ends_with(".tmp"); }
  // FILE.h5.TOKEN.tmp was FILE.h5.tmp.
  [[nodiscard]] std::string known_as(const path& name) const {
    const std::string& text = name.native();
    constexpr std::size_t ending = std::string_view(".0123456789abcdef.tmp").size();
    if (!disk_.shares_temporaries || !is_temporary(text) || text.size() < ending) return text;
    return text.substr(0, text.size() - ending) + ".tmp";
  }
  SimDisk& disk_;
  Process& process_;
  std::shared_ptr<Inode> own_lock_;  // as it made it
};

std::unique_ptr<parallel::Disk> SimDisk::seen_from(Process& process) {
  return std::make_unique<SeenDisk>(*this, process);
}

int SimDisk::begin(Process& process, Act act, const std::string& name) {
  if (!world_.pause_quietly()) return EIO;
  if (faults.stall_one_in > 0 && world_.chance.one_in(faults.stall_one_in) &&
      (on_trouble(process, name),
       !world_.wait_or_sleep([] { return false; }, world_.chance.between(1, 3000) * millisecond)))
    return EIO;
  int error = 0;
  if (act != Act::reads && faults.is_read_only) error = EROFS;
  if (act == Act::needs_space && faults.is_full) error = ENOSPC;
  if (faults.error_one_in > 0 && world_.chance.one_in(faults.error_one_in)) error = EIO;
  if (error != 0) {
    world_.tell(process.name() + " meets \"" + std::strerror(error) + "\" at " + name);
    on_trouble(process, name);
  }
  return error;
}

void SimDisk::set(const std::string& name, std::shared_ptr<Inode> inode, const std::string& also_removed) {
  if (also_removed.ends_with(".tmp") || (!inode && name.ends_with(".tmp"))) assembler = 0;
  if (!also_removed.empty()) names_.erase(also_removed);
  if (inode)
    names_[name] = inode;
  else
    names_.erase(name);
  changes_.push_back({name, std::move(inode), also_removed});
}

const Inode* SimDisk::find(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : found->second.get();
}

std::string SimDisk::contents(const std::string& name) const {
  const Inode* const inode = find(name);
  return inode == nullptr ? "" : bytes_of(*inode);
}

void SimDisk::put(const std::string& name, const std::string& bytes) {
  folders_[folder_of(name)] = true;
  auto& inode = names_[name];
  if (!inode) inode = std::make_shared<Inode>();
  inode->data = inode->durable = bytes;
  durable_names_[name] = inode;
}

void SimDisk::put_link(const std::string& name) {
  auto inode = std::make_shared<Inode>();
  inode->is_link = true;
  folders_[folder_of(name)] = true;
  names_[name] = durable_names_[name] = inode;
}

void SimDisk::erase(const std::string& name) {
  names_.erase(name);
  durable_names_.erase(name);
}

std::vector<std::string> SimDisk::names() const {
  std::vector<std::string> all;
  for (const auto& [name, inode] : names_) all.push_back(name);
  return all;
}

// What may be found of a file after a crash: the synced part for certain; of what came later all, nothing, or
// some blocks, the others zero.
std::string SimDisk::crashed(const Inode& inode, Chance& chance) {
  const std::string& now = bytes_of(inode);
  const std::string& durable = inode.durable;
  if (now == durable || chance.one_in(3)) return now;
  if (!now.starts_with(durable)) return chance.one_in(2) ? now : durable;
  constexpr std::size_t block = 512;
  std::string left = now.substr(
      0, durable.size() + static_cast<std::size_t>(chance.below(std::ssize(now) - std::ssize(durable) + 1)));
  if (chance.one_in(2))
    for (std::size_t at = durable.size(); at < left.size(); at += block)
      if (chance.one_in(3))
        std::fill_n(left.begin() + static_cast<std::ptrdiff_t>(at), std::min(block, left.size() - at), '\0');
  return left;
}

void SimDisk::unmap(const Process& process) {
  for (const auto& [name, inode] : names_)
    if (inode->page && inode->maker == process.place.pid) {
      inode->data = *inode->page;
      inode->page.reset();
    }
}

void SimDisk::fail_power() {
  world_.tell("the power fails");
  Chance& chance = world_.chance;
  // All changes of names up to some point, or any of them.
  const bool in_order = chance.one_in(2);
  const std::int64_t kept = chance.between(0, std::ssize(changes_));
  auto names = durable_names_;
  for (std::int64_t i = 0; i < std::ssize(changes_); ++i) {
    if (in_order ? i >= kept : chance.one_in(2)) continue;
    const NameChange& change = changes_[static_cast<std::size_t>(i)];
    if (!change.also_removed.empty()) names.erase(change.also_removed);
    if (change.to)
      names[change.name] = change.to;
    else
      names.erase(change.name);
  }
  changes_.clear();
  names_ = durable_names_ = std::move(names);
  for (const auto& [name, inode] : names_) {
    inode->data = inode->durable = crashed(*inode, chance);
    inode->page.reset();
    folders_[folder_of(name)] = true;
  }
}

void SimDisk::lose_host(int host) {
  world_.tell("host n" + std::to_string(host) + " is lost");
  for (const auto& [name, inode] : names_) {
    if (inode->writer != host || bytes_of(*inode) == inode->durable) continue;
    std::string left = crashed(*inode, world_.chance);
    inode->data = inode->durable = std::move(left);
    inode->page.reset();
  }
}

}  // namespace echo::simulation
