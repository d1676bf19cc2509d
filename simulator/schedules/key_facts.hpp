#pragma once

#include <any>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>

namespace keyswap::simulator {

/// Cache, by name, of what schedules derive from a sort's keys, type and GPUs only. Simulations of
/// the same sort with other machine constants share it.
class KeyFacts {
  public:
    /// Returns the named fact; makes it on first use. \pre a name always has the same type
    template <class Make>
    [[nodiscard]] std::invoke_result_t<Make> const& of(std::string_view name, Make const& make) {
        using Fact = std::invoke_result_t<Make>;
        auto place = facts_.find(name);
        if (place == facts_.end()) {
            place = facts_.emplace(std::string(name), std::make_any<Fact>(make())).first;
        }
        return *std::any_cast<Fact>(&place->second);
    }

  private:
    std::map<std::string, std::any, std::less<>> facts_;
};

} // namespace keyswap::simulator
