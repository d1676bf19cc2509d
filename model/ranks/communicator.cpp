#include "model/ranks/communicator.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace keyswap::model {

namespace {

constexpr std::size_t gathered_text_bytes = 1024; ///< one line, long enough for a path

} // namespace

RankFailure::RankFailure(std::string step, std::vector<std::uint32_t> ranks, std::string problem)
    : std::runtime_error(ranks_text(ranks) + ' ' + problem + " (" + step + ')'),
      step_(std::move(step)), ranks_(std::move(ranks)), problem_(std::move(problem)) {}

std::string ranks_text(std::span<std::uint32_t const> ranks) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (i > 0) {
            text += i + 1 == ranks.size() ? " and " : ", ";
        }
        text += std::to_string(ranks[i]);
    }
    return text;
}

std::string wrong_size_text(std::size_t sent, std::size_t expected) {
    return "sent " + std::to_string(sent) + " bytes where " + std::to_string(expected) +
           " were expected";
}

std::vector<std::string>
all_gather_text(Communicator& ranks, std::string_view step, std::string_view own) {
    std::array<char, gathered_text_bytes> padded{};
    std::ranges::copy(own.substr(0, padded.size() - 1), padded.begin());
    auto const all = all_gather(ranks, step, padded);
    std::vector<std::string> texts(all.size());
    std::ranges::transform(
        all, texts.begin(), [](auto const& text) { return std::string(text.data()); });
    return texts;
}

} // namespace keyswap::model
