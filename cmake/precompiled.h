// Headers that take long to parse and that most files include (talus_precompile). Every file still includes what it uses.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>
