// Include rules: kernels must not include model; traces include only traces; simulator may include
// only exchange_plan of kernels; a source file includes its own header first; rooms of a folder,
// and header-source pairs, have no include cycles. (tools/cmake/keyswap_link_rule.cmake checks
// linked libraries.)

#include "tools/house/source_files.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

namespace fs = std::filesystem;

/// Permitted includes of folders, or of rooms of a folder.
std::map<std::string, std::set<std::string>> const may_include{
    {"traces", {"traces"}},
    {"model", {"traces", "model"}},
    {"simulator", {"traces", "model", "simulator", "kernels/exchange_plan"}},
    {"kernels", {"traces", "kernels"}},
};

using Sentences = std::vector<std::string>;

constexpr std::array folders{"traces", "model", "simulator", "kernels", "proptests", "tools"};

bool is_source(fs::path const& file) {
    constexpr std::array endings{".cpp", ".hpp", ".cu", ".cuh"};
    return std::ranges::find(endings, file.extension().string()) != endings.end();
}

/// Quoted names after #include, in file order.
std::vector<std::string> quoted_includes(fs::path const& file) {
    std::vector<std::string> names;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        auto const begin = line.find_first_not_of(" \t");
        if (begin == std::string::npos || line[begin] != '#') {
            continue;
        }
        auto const word = line.find_first_not_of(" \t", begin + 1);
        if (word == std::string::npos || line.compare(word, 7, "include") != 0) {
            continue;
        }
        auto const open = line.find_first_of("\"<", word);
        auto const close = open == std::string::npos ? open : line.find_first_of("\">", open + 1);
        if (close != std::string::npos) {
            std::string const name = line.substr(open + 1, close - open - 1);
            // <model/sorts/rmg/plan.hpp> finds the same file, so it counts too.
            if (line[open] == '"' || may_include.contains(name.substr(0, name.find('/')))) {
                names.push_back(name);
            }
        }
    }
    return names;
}

/// "engine" for "simulator/engine/engine.hpp"; empty for a file outside of rooms.
std::string room_of(std::string const& file) {
    auto const first = file.find('/');
    auto const second = file.find('/', first + 1);
    return second == std::string::npos ? "" : file.substr(first + 1, second - first - 1);
}

/// One sentence per forbidden include below `root`.
std::vector<std::string> forbidden_includes(fs::path const& root) {
    std::vector<std::string> found;
    for (auto const& [folder, allowed] : may_include) {
        for (fs::path const& path : testing::source_files(root / folder)) {
            if (!is_source(path)) {
                continue;
            }
            std::string const file = path.lexically_relative(root).string();
            for (std::string const& name : quoted_includes(path)) {
                std::string const of_folder = name.substr(0, name.find('/'));
                if (!allowed.contains(of_folder) &&
                    !allowed.contains(of_folder + "/" + room_of(name))) {
                    found.push_back(file + " includes " + name);
                }
            }
        }
    }
    return found;
}

/// One sentence per source file that does not include its own header first.
std::vector<std::string> headers_not_first(fs::path const& root) {
    std::vector<std::string> found;
    for (std::string const folder : folders) {
        for (fs::path const& path : testing::source_files(root / folder)) {
            fs::path header = path;
            header.replace_extension(".hpp");
            if (path.extension() != ".cpp" || !fs::exists(header)) {
                continue;
            }
            auto const names = quoted_includes(path);
            std::string const own = header.lexically_relative(root).string();
            if (names.empty() || names.front() != own) {
                found.push_back(path.lexically_relative(root).string() + " does not include " +
                                own + " first");
            }
        }
    }
    return found;
}

bool is_product(std::string const& file) {
    constexpr std::array others{"_test.", "_prop.", "_test/", "/testing/", "/fuzz/"};
    return std::ranges::none_of(
        others, [&](char const* part) { return file.find(part) != std::string::npos; });
}

using Rooms = std::map<std::string, std::set<std::string>>; ///< room -> rooms it includes

Rooms rooms_of(fs::path const& root, std::string const& folder) {
    Rooms rooms;
    for (fs::path const& path : testing::source_files(root / folder)) {
        std::string const file = path.lexically_relative(root).string();
        if (!is_source(path) || !is_product(file)) {
            continue;
        }
        for (std::string const& name : quoted_includes(path)) {
            if (name.starts_with(folder + "/") && room_of(name) != room_of(file)) {
                rooms[room_of(file)].insert(room_of(name));
            }
        }
    }
    return rooms;
}

/// Rooms in an include cycle, as "simulator/network". Files outside of rooms, such as a folder's
/// public header, are ignored.
Sentences rooms_in_circles(fs::path const& root) {
    Sentences found;
    for (std::string const folder : folders) {
        Rooms const rooms = rooms_of(root, folder);
        for (auto const& [start, used] : rooms) {
            std::set<std::string> reached;
            std::vector<std::string> waiting(used.begin(), used.end());
            while (!start.empty() && !waiting.empty()) {
                std::string const room = waiting.back();
                waiting.pop_back();
                if (!room.empty() && reached.insert(room).second && rooms.contains(room)) {
                    waiting.insert(waiting.end(), rooms.at(room).begin(), rooms.at(room).end());
                }
            }
            if (reached.contains(start)) {
                found.push_back(folder + "/" + start);
            }
        }
    }
    return found;
}

using Uses = std::map<std::string, std::set<std::string>>; ///< header-source pair -> pairs it uses

/// Includes of every header-source pair: "model/key_files/csv_reader" means the header and the
/// source of this name.
Uses pair_uses(fs::path const& root) {
    Uses uses;
    for (std::string const folder : folders) {
        for (fs::path const& path : testing::source_files(root / folder)) {
            if (is_source(path)) {
                auto const pair_of = [](fs::path file) {
                    return file.replace_extension().string();
                };
                std::string const own = pair_of(path.lexically_relative(root));
                for (std::string const& name : quoted_includes(path)) {
                    if (pair_of(name) != own) {
                        uses[own].insert(pair_of(name));
                    }
                }
            }
        }
    }
    return uses;
}

std::set<std::string> reached_from(std::string const& start, Uses const& uses) {
    std::set<std::string> reached;
    std::vector<std::string> waiting{start};
    while (!waiting.empty()) {
        std::string const pair = waiting.back();
        waiting.pop_back();
        if (auto const found = uses.find(pair); found != uses.end()) {
            for (std::string const& next : found->second) {
                if (reached.insert(next).second) {
                    waiting.push_back(next);
                }
            }
        }
    }
    return reached;
}

/// One sentence per cycle of header-source pairs, with all its pairs.
Sentences pairs_in_circles(fs::path const& root) {
    Uses const uses = pair_uses(root);
    std::map<std::string, std::set<std::string>> reached;
    for (auto const& [pair, used] : uses) {
        reached[pair] = reached_from(pair, uses);
    }
    std::set<std::string> circles;
    for (auto const& [pair, others] : reached) {
        std::string circle;
        for (std::string const& other : others) {
            if (reached.contains(other) && reached.at(other).contains(pair)) {
                circle += (circle.empty() ? "" : " ") + other;
            }
        }
        if (!circle.empty()) {
            circles.insert(circle);
        }
    }
    return {circles.begin(), circles.end()};
}

/// Permitted cycles of header-source pairs in each folder; 0 if not listed. Lower a number whenever
/// a cycle is removed.
std::map<std::string, int> const circles_max{};

/// A tree of empty folders, for planted faults.
class PlantedTree {
  public:
    PlantedTree() {
        for (std::string const name : folders) {
            fs::create_directories(folder_ / name);
        }
    }

    void write(std::string const& file, std::string const& text) const {
        fs::create_directories((folder_ / file).parent_path());
        testing::put_text(folder_ / file, text);
    }
    [[nodiscard]] fs::path const& root() const { return folder_.path(); }

  private:
    testing::TemporaryFolder folder_;
};

TEST(IncludeRule, HoldsInEveryFolder) {
    EXPECT_EQ(forbidden_includes(KEYSWAP_SOURCE_DIR), Sentences{});
}

TEST(IncludeRule, SourceFilesIncludeTheirOwnHeaderFirst) {
    EXPECT_EQ(headers_not_first(KEYSWAP_SOURCE_DIR), Sentences{});
}

TEST(IncludeRule, RoomsOfAFolderIncludeEachOtherOneWay) {
    EXPECT_EQ(rooms_in_circles(KEYSWAP_SOURCE_DIR), Sentences{});
}

TEST(IncludeRule, FindsRoomsThatIncludeEachOther) {
    PlantedTree const tree;
    tree.write("model/keys/a.hpp", "#include \"model/plan/b.hpp\"\n");
    tree.write("model/plan/b.hpp", "#include \"model/check/c.hpp\"\n");
    tree.write("model/check/c.cpp", "#include \"model/keys/a.hpp\"\n");
    tree.write("model/check/c_test.cpp", "#include \"model/verify/d.hpp\"\n");
    tree.write("model/verify/d.hpp", "#include \"model/check/c.hpp\"\n");
    EXPECT_EQ(rooms_in_circles(tree.root()),
              (Sentences{"model/check", "model/keys", "model/plan"}));
}

TEST(IncludeRule, HeaderSourcePairsFormNoFurtherCircles) {
    std::map<std::string, Sentences> circles;
    for (std::string const& circle : pairs_in_circles(KEYSWAP_SOURCE_DIR)) {
        circles[circle.substr(0, circle.find('/'))].push_back(circle);
    }
    for (auto const& [folder, found] : circles) {
        auto const listed = circles_max.find(folder);
        int const most = listed == circles_max.end() ? 0 : listed->second;
        EXPECT_LE(found.size(), static_cast<std::size_t>(most)) << ::testing::PrintToString(found);
    }
}

TEST(IncludeRule, FindsHeaderSourcePairsThatIncludeEachOther) {
    PlantedTree const tree;
    tree.write("model/a.hpp", "");
    tree.write("model/a.cpp", "#include \"model/a.hpp\"\n#include \"model/b.hpp\"\n");
    tree.write("model/b.hpp", "#include \"model/c.hpp\"\n");
    tree.write("model/c.cpp", "#include \"model/a.hpp\"\n");
    tree.write("model/d.hpp", "#include \"model/a.hpp\"\n");
    EXPECT_EQ(pairs_in_circles(tree.root()), Sentences{"model/a model/b model/c"});
}

TEST(IncludeRule, ReadsTheTreeAtAll) {
    fs::path const file =
        fs::path(KEYSWAP_SOURCE_DIR) / "model" / "sorts" / "rmg" / "placement.cpp";
    auto const names = quoted_includes(file);
    ASSERT_FALSE(names.empty());
    EXPECT_EQ(names.front(), "model/sorts/rmg/placement.hpp");
}

TEST(IncludeRule, FindsKernelsThatIncludeTheModel) {
    PlantedTree const tree;
    tree.write("kernels/sort.cu",
               "#include \"traces/records/records.hpp\"\n# include \"model/sorts/rmg/plan.hpp\"\n");
    EXPECT_EQ(forbidden_includes(tree.root()),
              Sentences{"kernels/sort.cu includes model/sorts/rmg/plan.hpp"});
}

TEST(IncludeRule, FindsWhatIsIncludedInAngleBracketsOrByARelativePath) {
    PlantedTree const tree;
    tree.write("kernels/a.cuh", "#include <model/sorts/rmg/plan.hpp>\n#include <vector>\n");
    tree.write("traces/b.cpp", "#include \"../model/plan.hpp\"\n");
    EXPECT_EQ(forbidden_includes(tree.root()),
              (Sentences{"kernels/a.cuh includes model/sorts/rmg/plan.hpp",
                         "traces/b.cpp includes ../model/plan.hpp"}));
}

TEST(IncludeRule, FindsAModelThatIncludesTheSimulator) {
    PlantedTree const tree;
    tree.write("model/a.hpp", "#include \"simulator/engine/engine.hpp\"\n");
    tree.write("simulator/b.hpp", "#include \"model/sorts/rmg/plan.hpp\"\n");
    EXPECT_EQ(forbidden_includes(tree.root()),
              Sentences{"model/a.hpp includes simulator/engine/engine.hpp"});
}

TEST(IncludeRule, LetsTheSimulatorSeeOneRoomOfTheKernels) {
    PlantedTree const tree;
    tree.write("simulator/schedules/a.cpp",
               "#include \"kernels/exchange_plan/round_plan.hpp\"\n"
               "#include \"kernels/primitives/key_shape.hpp\"\n#include \"kernels/sort.hpp\"\n");
    tree.write("model/plan/b.hpp", "#include \"kernels/exchange_plan/round_plan.hpp\"\n");
    tree.write("kernels/exchange_plan/c.hpp", "#include \"model/plan/b.hpp\"\n");
    EXPECT_EQ(forbidden_includes(tree.root()),
              (Sentences{"kernels/exchange_plan/c.hpp includes model/plan/b.hpp",
                         "model/plan/b.hpp includes kernels/exchange_plan/round_plan.hpp",
                         "simulator/schedules/a.cpp includes kernels/primitives/key_shape.hpp",
                         "simulator/schedules/a.cpp includes kernels/sort.hpp"}));
}

TEST(IncludeRule, FindsAHeaderThatIsNotIncludedFirst) {
    PlantedTree const tree;
    tree.write("model/a.hpp", "#pragma once\n");
    tree.write("model/a.cpp",
               "#include <vector>\n#include \"model/b.hpp\"\n#include \"model/a.hpp\"\n");
    EXPECT_EQ(headers_not_first(tree.root()),
              Sentences{"model/a.cpp does not include model/a.hpp first"});
}

} // namespace
} // namespace keyswap::tools
