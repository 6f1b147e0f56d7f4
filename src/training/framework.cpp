#include "training/framework.hpp"

#include "base/at.hpp"
#include "base/named_table.hpp"

namespace echo::training {

const FrameworkSpec& root_of(const FrameworkSpec& framework, const std::vector<FrameworkSpec>& all) {
  const FrameworkSpec* root = &framework;
  for (std::size_t i = 0; i < all.size() && !root->base.empty(); ++i) {
    const std::int32_t base = find_named(all, root->base);
    if (base < 0) break;
    root = &all[at(base)];
  }
  return *root;
}

std::vector<const FrameworkSpec*> line_of(const FrameworkSpec& framework,
                                          const std::vector<FrameworkSpec>& all) {
  std::vector<const FrameworkSpec*> line{&framework};
  while (!line.front()->base.empty()) {
    const std::int32_t base = find_named(all, line.front()->base);
    if (base < 0 || line.size() > all.size()) break;
    line.insert(line.begin(), &all[at(base)]);
  }
  return line;
}

}  // namespace echo::training
