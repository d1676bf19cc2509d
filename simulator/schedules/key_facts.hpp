#pragma once

#include <any>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>

namespace keyswap::simulator {

/// What a schedule derives from a sort's keys, type and GPUs alone, by name: the same whatever the
/// machine's constants are, so that simulations with others need not derive it again.
class KeyFacts {
  public:
    /// The fact of that name, made when it is first asked for. \pre a name always has one type
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
