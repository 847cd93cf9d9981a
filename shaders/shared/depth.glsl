// What the pixels of a depth camera see along, and where they lie. Needs settings, depth_cameras and solid.glsl in scope. `precise` where
// it decides what a pixel sees, so that the CPU sees the same.

// t of a point from + t way: m along the viewing axis.
struct Ray {
  vec3 from;
  vec3 way;
};

// Middle of a pixel in the image, to the right and up.
vec2 image_place(DepthCamera camera, uvec2 pixel) {
  precise vec2 place = camera.corner + vec2(1.0, -1.0) * (vec2(pixel) + 0.5) * camera.pixel;
  return place;
}

// From the camera's frame to the world.
vec3 turned_out(DepthCamera camera, uint world, vec3 v) {
  vec3 out_of_camera = rotated(camera.rotation, v);
  return camera.body == no_body ? out_of_camera
                                : rotated(bodies[world * settings.bodies + camera.body].motion.rotation, out_of_camera);
}

vec3 camera_place(DepthCamera camera, uint world) {
  if (camera.body == no_body)
    return camera.position;
  uint body = world * settings.bodies + camera.body;
  precise vec3 place = bodies[body].motion.position + rotated(bodies[body].motion.rotation, camera.position);
  return place;
}

Ray ray_of(DepthCamera camera, uint world, uvec2 pixel) {
  vec2 at = image_place(camera, pixel);
  vec3 aside = vec3(0.0, -at.x, at.y), ahead = vec3(1.0, 0.0, 0.0);
  Ray ray = Ray(camera_place(camera, world), turned_out(camera, world, camera.perspective != 0u ? ahead + aside : ahead));
  if (camera.perspective == 0u) {
    precise vec3 from = ray.from + turned_out(camera, world, aside);
    ray.from = from;
  }
  return ray;
}

// A place in the world as the camera has it: to the right, up, ahead.
vec3 in_camera(DepthCamera camera, uint world, vec3 p) {
  precise vec3 offset = p;
  if (camera.body != no_body) {
    uint body = world * settings.bodies + camera.body;
    precise vec3 from_body = p - bodies[body].motion.position;
    offset = rotated_back(bodies[body].motion.rotation, from_body);
  }
  precise vec3 from_camera = offset - camera.position;
  vec3 q = rotated_back(camera.rotation, from_camera);
  return vec3(-q.y, q.z, q.x);
}

uint pixels_of(DepthCamera camera) { return camera.width * camera.height; }
